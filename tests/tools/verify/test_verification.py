"""If the course were not as it says, `python tools/verify` would notice.

That it is: tests/classroom/test_known_answers.py.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import find, stems
from grader.grading import grade as grading
from verify import command
from verify.verify import verify_exercise

RUBRIC = find("04")
HEAD = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def forward(self, x):
        return (x - self.running_mean) * self.weight


class Right(Scaled):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))


class Trained(Scaled):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))


"""

PARTS = ("nn.Buffer", "register_parameter", "requires_grad=False")  # of 04's also_right


@pytest.fixture
def problems(course):
    """Declares variants of exercise 04, and gives what is then noticed."""
    (course / "tests" / "variants").mkdir(parents=True)

    def verify(accepted=("Right",) * 3, mistakes=None, parts=PARTS):
        mistakes = mistakes or {"Trained": "parameter-or-buffer"}
        also_right = dict.fromkeys(parts, "Right")
        text = f"{HEAD}ACCEPTED = {accepted!r}\nMISTAKES = {mistakes!r}\n"
        text += f"ALSO_RIGHT = {also_right!r}\n"
        (course / "tests" / "variants" / f"{RUBRIC.stem}.py").write_text(text)
        return [line for line, is_right in verify_exercise(RUBRIC) if not is_right]

    return verify


TOO_FEW = "✗ 04_parameter_or_buffer: mistakes: 1, and there should be 4"


def test_what_is_declared_rightly_is_no_problem(problems):
    assert problems() == [TOO_FEW]


def test_a_wrong_answer_declared_right(problems):
    _, line = problems(accepted=("Right", "Right", "Trained"))

    assert line.startswith("✗ 04_parameter_or_buffer: accepted Trained: failed; ")
    assert "parameter-or-buffer self.running_mean" in line


@pytest.mark.parametrize(
    ("mistakes", "message"),
    [
        ({"Right": "parameter-or-buffer"}, "its verdict is passed"),
        ({"Trained": "member-tensor"}, "its findings are ['parameter-or-buffer']"),
        ({"Trained": "check forward"}, "the failed checks are ['buffers', 'training']"),
        ({"Trained": "check nosuch"}, "the failed checks are ['buffers', 'training']"),
        ({"Absent": "check forward"}, "its verdict is not_defined"),
    ],
)
def test_a_mistake_declared_wrongly(problems, mistakes, message):
    _, line = problems(mistakes=mistakes)

    assert message in line


def test_too_few_accepted_answers(problems):
    assert problems(accepted=("Right",))[0].endswith("1, and there should be 3")


def test_what_is_also_right_is_shown_by_an_accepted_answer(problems):
    _, first = problems(parts=PARTS[1:])
    assert "also right: `self.running_mean = nn.Buffer" in first
    assert first.endswith("no key of ALSO_RIGHT is a part of it")

    lines = [line for line in problems(accepted=("Trained",) * 3) if "also right" in line]
    assert len(lines) == len(RUBRIC.also_right) == 3
    assert all(line.endswith("not in ACCEPTED: Right") for line in lines)


def test_a_starter_that_somebody_solved(problems, course):
    (course / "exercises" / f"{RUBRIC.stem}.py").write_text("# solved\n")

    assert "exercises/ and starters.json differ" in problems()[0]


def test_the_command_prints_each_line_and_exits_1_if_one_is_a_problem(capsys, monkeypatch):
    lines = [("✓ 04: hints", True), ("✗ 04: starter: its verdict is passed", False)]
    monkeypatch.setattr("verify.command.verify_exercise", lambda rubric, device: iter(lines))

    status = command.main(["04"])

    assert status == 1
    out, _ = capsys.readouterr()
    assert out == "✓ 04: hints\n✗ 04: starter: its verdict is passed\n1 problem\n"


def test_with_seeds_it_names_those_that_change_a_verdict(capsys, monkeypatch):
    answers = [("mistake Late", Evens, "failed"), ("accepted Any", object, "passed")]
    monkeypatch.setattr("verify.try_seeds._answers", lambda rubric: iter(answers))
    monkeypatch.setattr("verify.try_seeds.grade_class", graded_by_the_seed)

    status = command.main(["04", "--seeds", "4"])

    late, other, _ = capsys.readouterr().out.splitlines()
    assert status == 1
    assert late.endswith("mistake Late, 4 seeds: {1: 'passed', 3: 'passed'}")
    assert other == "✓ 04_parameter_or_buffer: accepted Any, 4 seeds"


class Evens:
    """Refused under even seeds only."""


def graded_by_the_seed(rubric, cls, device):
    is_refused = cls is Evens and grading.fresh_seed() % 2 == 0
    return grading.refusal("failed" if is_refused else "passed", "", rubric, "")


def test_a_missing_file_of_variants_is_named(course):
    tool = Path(__file__).resolve().parents[3] / "tools" / "verify"

    ran = subprocess.run([sys.executable, tool], capture_output=True, text=True)

    assert f"tests/variants/{stems()[0]}.py does not exist" in ran.stderr
