"""Answers to exercise 04 with one honest mistake, and the report that each gets."""

from pathlib import Path

from grader.course.catalog import find
from grader.grading.grade import grade_file
from grader.schema.report import Report

RUBRIC = find("04")
SOURCE = """\
import torch
from torch import nn
{top}

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))
        {init}

    def forward(self, x):
        {forward}
        return (x - self.running_mean) * self.weight

{after}
"""


def source(top: str = "", init: str = "pass", forward: str = "pass", after: str = "") -> str:
    """A right answer, with something added."""
    return SOURCE.format(top=top, init=init, forward=forward, after=after)


def report(folder: Path, content: str | bytes) -> Report:
    """What `grader check` says of a file."""
    path = folder / f"ada_{RUBRIC.stem}.py"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return grade_file(RUBRIC, path, "simulated")


def words(report: Report) -> str:
    """All that a report says."""
    parts = (report, *report.checks, *report.findings)
    return "\n".join(
        text for part in parts for text in vars(part).values() if isinstance(text, str)
    )
