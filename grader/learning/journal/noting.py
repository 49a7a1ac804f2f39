"""What a learner's commands and cells note down: checks, help, and when to ask a question again.

fsrs decides when, in whole days.
"""

from __future__ import annotations

from datetime import datetime

from grader.learning.journal.file import keep
from grader.learning.journal.model import Attempt, Card, Help
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
