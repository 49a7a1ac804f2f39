"""What a learner's own commands and cells note down: checks, and help that was taken."""

from __future__ import annotations

from grader.journal.file import keep
from grader.journal.model import Attempt, Help
from grader.judge.report import Report

SOLUTION = 0


def note_attempt(exercise: str, report: Report) -> str:
    """Keep what a check said; return a notice or `""`."""
    attempt = Attempt(exercise, report.verdict, report.score, report.max_score, report.device)
    return keep(lambda journal: journal.add_attempt(attempt))


def note_help(exercise: str, number: int = SOLUTION) -> str:
    """Keep that a hint was taken, or the solution seen; return a notice or `""`."""
    return keep(lambda journal: journal.add_help(Help(exercise, number)))
