"""What a learner's commands and cells note down: checks, help, and when to ask a question again.

fsrs decides when, in whole days.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from grader.judge import count
from grader.learning.journal.file import keep, peek
from grader.learning.journal.model import Attempt, Card, Help, Journal
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


def reviewed(card: Card | None, right: bool, sure: bool, at: datetime) -> Card:
    """The card after an answer; without one, after the first answer."""
    import fsrs

    # No steps of minutes: who answered now is asked again on another day.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    known = fsrs.Rating.Easy if sure else fsrs.Rating.Good
    rating = known if right else fsrs.Rating.Again
    before = (
        fsrs.Card(
            card_id=1,
            state=fsrs.State(card.state),
            step=card.step,
            stability=card.stability,
            difficulty=card.difficulty,
            due=card.due,
            last_review=card.last_review,
        )
        if card
        else fsrs.Card(card_id=1, due=at)
    )
    after, _ = scheduler.review_card(before, rating, review_datetime=at)
    return Card(
        state=after.state.value,
        step=after.step,
        stability=after.stability,
        difficulty=after.difficulty,
        due=after.due,
        last_review=after.last_review,
    )
