"""Predictions: an answer to a question before the code runs, and how sure the learner is."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from grader.course import Question
from grader.learning.journal import Prediction, Sure, keep
from grader.learning.journal.schedule import reviewed

if TYPE_CHECKING:
    from grader.learning.journal import Journal

SURE: tuple[Sure, ...] = get_args(Sure)


def lock_in(question: Question, choice: str, sure: Sure) -> tuple[Prediction, str]:
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


def locked_text(prediction: Prediction) -> str:
    """What was locked in."""
    return f"Locked in: {prediction.choice}, {prediction.sure}."
