"""A learner's copy of an assignment: it is checked without a solution, and gives no marks.

What it says is where something is wrong and why, as for any exercise, but never how to fix it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from grader.course import load_rubric
from grader.loading import LoadingError
from grader.schema import RUBRIC, Report, Rubric

ELSEWHERE = (
    "This looked at structure and placement only. Marks are given elsewhere, and there counts what "
    "forward gives as well: compare it with what the starter gives on the CPU."
)
YOURS = "yours to find, since this exercise is for marks."


def learners_rubric(path: Path) -> Rubric | None:
    """That of the assignment whose copy a file lies in; None if it lies in none.

    Raises:
        LoadingError: the rubric next to it cannot be read.
    """
    if not (path.parent / RUBRIC).exists():
        return None
    try:
        return load_rubric("", str(path.parent.resolve()))
    except (OSError, msgspec.DecodeError) as error:
        raise LoadingError(f"{path.parent / RUBRIC} cannot be read: {error}") from None


def without_marks(report: Report) -> Report:
    """The report without fixes; its last words say where the marks are given."""
    return replace(
        report,
        title=f"{report.title}: what this copy can tell",
        findings=tuple(replace(finding, fix=YOURS, edits=()) for finding in report.findings),
        next_step=ELSEWHERE,
    )
