"""When to ask a question again: fsrs decides, in whole days."""

from __future__ import annotations

from datetime import datetime

from grader.learning.journal.model import Card, Sure


def reviewed(card: Card | None, right: bool, sure: Sure, at: datetime) -> Card:
    """The card after an answer; without one, after the first answer."""
    import fsrs

    # No steps of minutes: who answered now is asked again on another day.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    known = {"guess": fsrs.Rating.Hard, "fairly sure": fsrs.Rating.Good}
    rating = known.get(sure, fsrs.Rating.Easy) if right else fsrs.Rating.Again
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
