"""A wheel carries the course: installed anywhere, it lays it out, judges it, and explains it."""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml

from grader.course.catalog import stems
from grader.simulated_cuda.native.build import compiler as find_compiler
from grader.simulated_cuda.native.build import name as library

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(*command, cwd, status=0):
    """What a command printed; if it is meant to fail, on both streams."""
    # With a PYTHONPATH, the checkout might stand in for the wheel.
    ours = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(command, cwd=cwd, env=ours, capture_output=True, text=True)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr if status else ran.stdout


def build(source, folder):
    """The sdist, and the wheel that is made from it."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source, cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def python(tmp_path_factory, built):
    """A Python that has the wheel, and what it needs, and knows no checkout."""
    _, wheel = built
    scratch = tmp_path_factory.mktemp("wheel")
    home = scratch / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=scratch)
    bin_folder = home / ("Scripts" if sys.platform == "win32" else "bin")
    (inside,) = home.rglob("site-packages")
    # Its neighbours, without the .pth files among them: one of those leads to the checkout.
    (inside / "neighbours.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", bin_folder / "python", "install", "--quiet"]
    run(*pip, "--no-deps", "--no-index", "--ignore-installed", wheel, cwd=scratch)
    return bin_folder / "python"


@pytest.fixture
def grader(python, tmp_path, monkeypatch):
    """Runs the installed command in a folder of the learner's."""
    monkeypatch.setenv("GRADER_JOURNAL", str(tmp_path / "journal.json"))

    def call(*arguments, status=0, cwd=tmp_path):
        return run(python, "-m", "grader", *arguments, cwd=cwd, status=status)

    return call


@pytest.fixture
def source(built, tmp_path):
    """A copy of the repository, as far as it is released."""
    with tarfile.open(built[0]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    (folder / "PKG-INFO").unlink()  # all else is as in the repository
    return folder


@pytest.mark.nightly
def test_the_same_sources_make_the_same_files(built, source, tmp_path):
    for path in source.rglob("*"):
        os.utime(path, (0, 1_000_000_000))
    (again := tmp_path / "again").mkdir()

    for first, second in zip(built, build(source, again), strict=True):
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="the release is built on Linux, in its shell")
def test_a_release_carries_the_libraries_that_it_compiled(source, monkeypatch):
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    (step,) = (s for s in workflow["jobs"]["build"]["steps"] if s.get("name") == "Build")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    run("git", "init", "-q", cwd=source)
    run("git", "commit", "-q", "--allow-empty", "-m", "A release", cwd=source)
    (libraries := source / "grader" / "simulated_cuda" / "native" / "built").mkdir()
    (libraries / "library.so").touch()
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)

    run("bash", "-c", step["run"], cwd=source)

    (wheel,) = (source / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        assert "grader/simulated_cuda/native/built/library.so" in files.namelist()


@pytest.mark.nightly
@pytest.mark.skipif(find_compiler() is None, reason="there is no compiler to build it with")
def test_a_wheel_built_here_brings_its_library_where_no_compiler_is(tmp_path):
    tool = [sys.executable, ROOT / "tools" / "build_wheel.py", tmp_path / "dist"]

    printed = run(*tool, cwd=tmp_path)

    assert printed.splitlines()[-1].endswith(" native cuda:0 built")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        assert f"grader/simulated_cuda/native/built/{library()}" in files.namelist()


@pytest.mark.nightly
def test_its_page_on_pypi_links_to_the_repository_of_this_version(built):
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(wheel.read(name))

        assert "grader/cli/doctor/versions.toml" in wheel.namelist()

    links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload(decode=True).decode())
    (address,) = (
        url.split(", ")[1] for url in metadata.get_all("Project-URL") if "Repository" in url
    )
    raw = address.replace("github.com", "raw.githubusercontent.com")
    at_its_tag = (f"{address}/blob/v{metadata['Version']}/", f"{raw}/v{metadata['Version']}/docs/")
    ours = [link for link in links if "wheres-my-tensor" in link or "://" not in link]
    assert len(ours) > 20
    assert [link for link in ours if not link.startswith(at_its_tag)] == []


@pytest.mark.nightly
def test_it_is_the_wheel_that_is_tried(python, tmp_path):
    location = run(python, "-c", "import grader; print(grader.__file__)", cwd=tmp_path)

    assert not Path(location).is_relative_to(ROOT)


@pytest.mark.nightly
def test_the_course_is_laid_out_once_and_never_over_an_answer_and_judges_it(grader, tmp_path):
    assert "The course is in mine" in grader("lab", "mine", "--no-open")
    exercise = tmp_path / "mine" / "exercises" / "03_member_tensors.py"
    exercise.write_text("# my answer\n")

    assert "Left as you have them: exercises/03" in grader("lab", "mine", "--no-open")

    assert exercise.read_text() == "# my answer\n"
    course = tmp_path / "mine"
    there = {path.name for path in course.rglob("*.*")}
    assert there >= {path.name for path in (ROOT / "exercises").glob("0*.py")}
    assert there >= {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert "The starter is back" in grader("reset", "03", cwd=course)
    assert "NOT ATTEMPTED" in grader("check", "03", cwd=course, status=1)
    exercise.write_text(grader("solution", "03"))
    assert "PASSED" in grader("check", "03", cwd=course)
    assert "stays behind" in grader("explain", "member-tensor")


def test_every_solution_passes_and_any_module_is_audited(grader, tmp_path):
    assert grader("check", "--all", "--solutions").count("✓ PASSED") == len(stems())

    model = "from torch import nn\n\nclass Head(nn.Linear):\n    pass\n\n"
    (tmp_path / "model.py").write_text(model + "def head():\n    return Head(3, 2)\n")
    audited = grader("audit", "model.py:head")
    assert "✓ CLEAN" in audited
    assert "a guess was tried" in audited


@pytest.mark.nightly
def test_the_environment_turns_the_device_on(python, tmp_path, monkeypatch):
    count = "import torch; print(torch.cuda.device_count())"
    monkeypatch.setenv("SIMULATED_CUDA", "3")

    assert run(python, "-c", count, cwd=tmp_path) == "3\n"


NEEDS_CUDA = """
import pytest, torch

@pytest.mark.nightly
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_it():
    assert torch.ones(1).cuda().is_cuda
"""


@pytest.mark.nightly
@pytest.mark.parametrize("on", ["the option", "three lines"])
def test_a_folder_whose_tests_need_cuda_has_it(python, tmp_path, on):
    (tmp_path / "test_it.py").write_text(NEEDS_CUDA)
    pytest_of_the_wheel = (python, "-m", "pytest", "-p", "no:nbval")
    assert "1 skipped" in run(*pytest_of_the_wheel, cwd=tmp_path)

    if on == "the option":
        pytest_of_the_wheel += ("--simulated-cuda",)
    else:
        lines = "from grader import simulated_cuda\n\nsimulated_cuda.enable(devices=2)\n"
        (tmp_path / "conftest.py").write_text(lines)

    printed = run(*pytest_of_the_wheel, cwd=tmp_path)
    assert "simulated CUDA: 2 devices" in printed
    assert "1 passed" in printed


@pytest.mark.nightly
def test_outside_a_course_a_learner_is_told_how_to_get_one(grader):
    for command in (["lab"], ["watch"], ["check", "03"]):
        message = " ".join(grader(*command, status=2).split())
        assert "`grader lab my-course` lays one out" in message, command


LOOKS = """
import os, sys
import torch
from pathlib import Path
from grader.course.catalog import solution_file
from grader.probe.containment.sandbox import Level, best_level
from grader.probe.containment.sandbox.profiles import PACKAGE, KernelSandbox
from grader.probe.containment.processes import drop_privileges

level, scratch = Level[sys.argv[1]], Path(sys.argv[2])
if best_level() < level:
    print("not here")
    sys.exit()
sandbox = KernelSandbox(scratch, (), whole=level is Level.FULL)
stem = "04_parameter_or_buffer"
answers = [solution_file(stem), PACKAGE / "course" / "rubrics" / f"{stem}.py"]
if os.fork():
    os.wait()
    sys.exit()
sandbox.enter()
drop_privileges()
sandbox.lock_down()
import colorsys, torch.utils.benchmark  # from files that no import has read yet
for answer in answers:
    for read in (Path.read_text, lambda file: torch.from_file(str(file), size=9, dtype=torch.int8)):
        try:
            read(answer)
        except (OSError, RuntimeError) as error:
            print("refused" if "Permission denied" in str(error) else error)
        else:
            print("read", answer)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("level", ["FILESYSTEM", "FULL"])
def test_a_submission_cannot_read_the_answers_that_came_with_the_wheel(python, tmp_path, level):
    (scratch := tmp_path / "scratch").mkdir()

    seen = run(python, "-c", LOOKS, level, scratch, cwd=tmp_path).splitlines()

    assert seen in (["refused"] * 4, ["not here"])
