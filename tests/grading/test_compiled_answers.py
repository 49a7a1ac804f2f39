"""`torch.compile` on the simulated device, in an answer and in its report."""

import pytest

from grader.course.catalog import find
from grader.grading.grade import grade_file
from grader.render.data import to_object
from grader.render.html import to_html
from grader.render.text import to_text

RUBRIC = find("04")
ANSWER = """\
import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))
        {init}

    {decorator}
    def forward(self, x):
        return (x - self.running_mean) * self.weight
"""
NOTE = "Note: `torch.compile` does nothing on the simulated device"


def report(folder, init="", decorator=""):
    path = folder / f"{RUBRIC.stem}.py"
    path.write_text(ANSWER.format(init=init, decorator=decorator), encoding="utf-8")
    return grade_file(RUBRIC, path, "simulated")


@pytest.mark.parametrize(
    "change",
    [
        {"decorator": "@torch.compile"},
        {"decorator": "@torch.compile(fullgraph=True, mode='reduce-overhead')"},
        {"init": "self.compile()"},
        {"init": "self.forward = torch.compile(self.forward)"},
    ],
    ids=lambda change: next(iter(change.values())),
)
def test_an_answer_that_compiles_passes_with_a_note(change, tmp_path):
    seen = report(tmp_path, **change)

    assert (seen.verdict, seen.score, seen.findings) == ("passed", 6, ())
    assert NOTE in to_text(seen)
    assert "<b>Note:</b> <code>torch.compile</code>" in to_html(seen)
    assert len(to_object(seen)["notes"]) == 1


def test_an_answer_that_does_not_compile_has_no_note(tmp_path):
    seen = report(tmp_path)

    assert seen.notes == ()
    assert "Note:" not in to_text(seen)
