"""What all tests share: a course to work in, a learner's answers, the command, golden text."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import without_iris  # noqa: F401
from chromium import BROWSER_FLAGS, BROWSERS
from filelock import FileLock
from hypothesis import HealthCheck, settings
from sampling import pytest_addoption as add_sample
from sampling import without_the_rest
from spreading import slow_ones_first
from stalls import pytest_addoption as add_stall_seconds
from stalls import (  # noqa: F401 (hooks)
    pytest_configure,
    pytest_runtest_logreport,
    pytest_runtest_logstart,
    pytest_unconfigure,
)

from grader.cli import main
from grader.course.catalog import find, solution_file, starter, stems

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
NUMBERS, TESTS = count(), count()
ON_CUDA = re.compile(r"(?<=judged on )cuda:0 \([^)]*\)")  # a GPU by its name, or the simulated one
# A slow machine is no fault: nothing that is timed may fail a test.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    add_stall_seconds(parser)
    add_sample(parser)
    parser.addoption("--refresh-golden", action="store_true", help="rewrite tests/golden/")


@pytest.hookimpl(trylast=True)  # when it is settled which tests run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if seed := config.getoption("--sample"):
        items[:] = without_the_rest(items, seed)
    workers = getattr(config, "workerinput", {}).get("workercount", 0)
    if workers:
        items[:] = slow_ones_first(items, workers)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the one stored under a name, whichever CUDA it was judged on."""

    def compare(name: str, text: str) -> None:
        text = ON_CUDA.sub("cuda:0 (simulated)", text)
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--refresh-golden"):
            path.write_text(text, encoding="utf-8")
        stored = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == stored, "if it is meant: python -m pytest --refresh-golden"

    return compare


@pytest.fixture(autouse=True)
def journal(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the learner's progress: of no one but this test, and not there yet."""
    path = tmp_path_factory.getbasetemp() / f"journal-{next(NUMBERS)}" / "journal.json"
    monkeypatch.setenv("GRADER_JOURNAL", str(path))
    return path


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course whose exercises nobody has touched, as the working directory."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "exercises").mkdir()
    for stem in stems():
        file = tmp_path / "exercises" / f"{stem}.py"
        file.write_text(starter(stem), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    """Run a probe in this process, so that each that is forked from it is warm, as in a batch.

    A cold one looks up every operator of PyTorch for the first time. Only in workers of
    pytest-xdist, which run many tests: it takes longer than a test that probes nothing. With the
    CUDA build, a process that has asked for a GPU cannot be forked.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    import torch

    from grader.probe.containment.huge_pages import use_huge_pages
    from grader.probe.containment.standby import rehearse
    from grader.probe.tasks import Exercise

    if torch.version.cuda is None:
        rubric = find("03")
        answer = solution_file(rubric.stem)
        rehearse(Exercise(answer, rubric.class_name, 0, "simulated", rubric.recipe))
        use_huge_pages()


@pytest.fixture(autouse=True)
def _forks_stay_cheap() -> None:
    """Every twentieth test, put what was allocated since on huge pages.

    After some thousand tests, a fork has cost three times as much as at first.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and next(TESTS) % 20 == 19:
        from grader.probe.containment.huge_pages import use_huge_pages

        use_huge_pages()


@dataclass(frozen=True)
class Answers:
    """Writes learners' files, made from the solution of an exercise."""

    folder: Path

    def write(self, text: str, stem: str = "04_parameter_or_buffer") -> Path:
        """A file of just this text, named as its exercise asks."""
        path = Path(f"ada_{stem}.py")
        (self.folder / path).write_text(text, encoding="utf-8")
        return path

    def edit(self, old: str, new: str, stem: str = "04_parameter_or_buffer") -> Path:
        """The solution with one thing changed."""
        source = solution_file(stem).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"the solution does not hold {old!r} just once"
        return self.write(source.replace(old, new), stem)


@pytest.fixture
def answers(course: Path) -> Answers:
    return Answers(course)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def grader(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Runs the `grader` command in this process, in a terminal 100 characters wide."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["grader", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return Ended(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets a command read the given lines as if a person had typed them."""

    def lines(*typed: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))

    return lines


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a process: Playwright starts only once in it."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        reason = f"no browser to test in: none of {', '.join(BROWSERS)} is installed"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=BROWSER_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built so that a link or a heading that leads nowhere is an error.

    Processes that share the tests share it too.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "site"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _build_site(folder)
    return folder / "html"


def _build_site(folder: Path) -> None:
    build = ["-q", "-W", "--keep-going", "-b", "html", "-d", folder / "trees", "-c", "docs"]
    command = [sys.executable, "-m", "sphinx", *build, ".", folder / "html"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
