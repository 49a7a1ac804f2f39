"""Answers to exercise 04 that want more than they are worth, or do harm; honest ones beside them.

They are in `attacks.txt`, which says what each gets; none may score more than it is worth.
"""

import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import torch
from graded_answers import RUBRIC, attacks

from grader.course.catalog import solution_file
from grader.grading.grade import grade_file
from grader.probe.containment.sandbox import Level, Limits, best_level, probe_confined

ANSWERS = attacks()
SHORT = Limits(seconds=60, cpu_seconds=1.5, memory=2**30)
SLEEPS = b"sleep\x003600"


@dataclass(frozen=True)
class Scene:
    """What an attack must not reach: a secret, the marks, a port that listens."""

    folder: Path
    port: socket.socket

    def write(self, text: str, into: Path) -> Path:
        """The answer, aimed at this scene."""
        aims = {"CANARY": self.folder, "PORT": self.port.getsockname()[1]}
        for word, aim in {**aims, "SOLUTION": solution_file(RUBRIC.stem)}.items():
            text = text.replace(word, str(aim))
        answer = into / f"ada_{RUBRIC.stem}.py"
        answer.write_text(text, encoding="utf-8")
        return answer

    def is_untouched(self) -> bool:
        """Whether nobody wrote, removed, or called."""
        self.port.setblocking(False)
        try:
            self.port.accept()
        except BlockingIOError:
            return sorted(path.name for path in self.folder.iterdir()) == ["secret.txt"]
        return False


@pytest.fixture(autouse=True)
def settable_flags():
    """PyTorch's own test tools, which other tests of this process import, freeze its flags."""
    with torch.backends.__allow_nonbracketed_mutation():
        yield


@pytest.fixture
def scene(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "secret.txt").write_text("the secret", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as port:
        yield Scene(folder, port)
    shutil.rmtree(folder)


def processes() -> set[str]:
    """The processes that an attack has left: there is none else that sleeps for an hour."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if SLEEPS in path.read_bytes():
                found.add(path.parent.name)
        except OSError:
            continue
    return found


def children() -> set[int]:
    """The processes of this one, those included that ended and nobody waited for."""
    return {child.pid for child in psutil.Process().children()}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_gets_what_it_is_worth_and_no_more(name, scene, tmp_path):
    expected = ANSWERS[name].expected
    if best_level() < Level[expected.get("needs", "process").upper()]:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    answer = scene.write(ANSWERS[name].text, tmp_path)
    limits = Limits(
        seconds=float(expected.get("seconds", SHORT.seconds)),
        cpu_seconds=SHORT.cpu_seconds,
        memory=SHORT.memory,
    )
    before, running = processes(), children()

    report = grade_file(
        RUBRIC,
        answer,
        "simulated",
        probe=lambda task: probe_confined(task, limits, Level.PROCESS).evidence,
    )

    assert report.verdict == expected["verdict"], report.message
    assert report.score <= int(expected["honest"])
    honest = int(expected["honest"]) if name.startswith("honest/") else 0
    assert report.score >= int(expected.get("shown", honest))
    assert scene.is_untouched()
    assert "the secret" not in report.printed
    assert processes() == before
    assert children() == running


@pytest.mark.parametrize(
    "name",
    [
        "patched/equal",
        "lying/named_parameters",
        "evidence/to_every_descriptor",
        "machine/reads_the_solution",
        "machine/program",
        "resources/writes_past_python",
        "honest/check_at_the_end",
    ],
)
def test_grader_check_says_the_same(name, scene, tmp_path):
    expected = ANSWERS[name].expected

    report = grade_file(RUBRIC, scene.write(ANSWERS[name].text, tmp_path), "simulated")

    assert report.verdict == expected["verdict"], report.message
    assert report.score <= int(expected["honest"])
    assert report.verdict != "tampered" or "tampered with" in report.message


def test_the_line_that_binds_a_name_again_is_named(scene, tmp_path):
    answer = scene.write(ANSWERS["patched/equal"].text, tmp_path)
    lines = answer.read_text(encoding="utf-8").splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if line.startswith("torch.equal ="))

    report = grade_file(RUBRIC, answer, "simulated")

    assert f"`torch.equal` was replaced in line {number}." in report.message
