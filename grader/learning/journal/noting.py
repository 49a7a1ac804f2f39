"""What a learner's commands and cells note down: checks and help."""

from __future__ import annotations

from grader.learning.journal.file import keep
from grader.learning.journal.model import Attempt, Help
from grader.schema import Report

SOLUTION = 0


def note_attempt(exercise: str, report: Report, report_shown: bool = True) -> str:
    """Keep what a check said; return a notice or `""`.

    Args:
        exercise: its number.
        report: what was said.
        report_shown: False where the learner saw the verdict alone.
    """
    attempt = Attempt(
        exercise=exercise,
        verdict=report.verdict,
        score=report.score,
        max_score=report.max_score,
        device=report.device,
        report_shown=report_shown,
    )
    return keep(lambda journal: journal.add_attempt(attempt))


def note_help(exercise: str, number: int = SOLUTION) -> str:
    """Keep that a hint was taken, or the solution seen; return a notice or `""`."""
    return keep(lambda journal: journal.add_help(Help(exercise, number)))
