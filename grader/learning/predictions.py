"""Predictions: an answer to a question before the code runs, and how sure the learner is."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from grader.course import Question
from grader.learning.journal import Prediction, Progress, keep, reviewed
from grader.learning.journal.progress import ahead

if TYPE_CHECKING:
    from grader.learning.journal import Journal


def lock_in(question: Question, choice: str, sure: bool) -> tuple[Prediction, str]:
    """Keep an answer. Return the one that counts, which is the first, and a notice or `""`."""
    given = Prediction(question.number, choice, sure, choice == question.right)
    counts = given

    def edit(journal: Journal) -> None:
        nonlocal counts
        counts = journal.add_prediction(given)
        if counts is given:
            journal.cards[given.question] = reviewed(None, given.right, sure, given.at)

    notice = keep(edit)
    return counts, notice


def mark(question: Question) -> str:
    """Keep that a learner was told who was right; return a notice or `""`."""

    def edit(journal: Journal) -> None:
        if made := journal.prediction(question.number):
            made.is_marked = True

    return keep(edit)


def in_words(sure: bool) -> str:
    return "sure" if sure else "not sure"


def locked_text(prediction: Prediction) -> str:
    return f"Locked in: {prediction.choice}, {in_words(prediction.sure)}."


def answer_again(question: Question, choice: str, sure: bool, at: datetime) -> tuple[str, str]:
    """Keep a second answer; return when the question comes again, and a notice or `""`."""
    right = choice == question.right
    due = at

    def edit(journal: Journal) -> None:
        nonlocal due
        card = reviewed(journal.cards.get(question.number), right, sure, at)
        journal.cards[question.number] = card
        due = card.due

    notice = keep(edit)
    return "" if notice else f"It comes again {ahead(due, at)}.", notice


def nothing_due(progress: Progress, now: datetime) -> str:
    """What is said where there is nothing to ask."""
    if progress.next_due:
        return f"Nothing is due. The next question comes {ahead(progress.next_due, now)}."
    return (
        "There is nothing to ask again yet. What you predict in the notebooks comes back here, "
        "some days later."
    )
