"""What a learner's commands and cells note down: checks and help."""

from __future__ import annotations

from dataclasses import replace

from grader.judge import count
from grader.learning.journal.file import keep, peek
from grader.learning.journal.model import Attempt, Help, Journal
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

    def edit(journal: Journal) -> None:
        journal.add_attempt(attempt)
        if _is_judged(report):
            journal.faults[exercise] = faults_of(report)

    return keep(edit)


def since_last(exercise: str, report: Report) -> Report:
    """The report, with how many faults were fixed since the last check of the exercise."""
    if not _is_judged(report):
        return report
    before, now = peek().faults.get(exercise, ()), faults_of(report)
    fixed = sum(fault not in now for fault in before)
    new = sum(fault not in before for fault in now) if before else 0
    parts = [f"{fixed} of {count(len(before), 'fault')} fixed"] if fixed else []
    parts += [count(new, "new fault")] if new else []
    return replace(report, since=f"Since the last check: {', '.join(parts)}." if parts else "")


def _is_judged(report: Report) -> bool:
    """Whether it says what is wrong with an answer, not what kept the grader from looking."""
    is_run = any(check.status != "not run" for check in report.checks)
    return is_run and report.verdict in ("passed", "failed", "not_attempted")


def faults_of(report: Report) -> tuple[str, ...]:
    """What is wrong, each by a name that is the same in the next check; none twice."""
    errors = [finding for finding in report.findings if finding.severity == "error"]
    named = [f"{error.code} {error.where}" for error in errors]
    failed = [f"check {check.name}" for check in report.checks if not check.passed]
    return tuple(dict.fromkeys(named or failed))


def note_help(exercise: str, number: int = SOLUTION) -> str:
    """Keep that a hint was taken, or the solution seen; return a notice or `""`."""
    return keep(lambda journal: journal.add_help(Help(exercise, number)))
