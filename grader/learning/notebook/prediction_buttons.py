"""The live form of a prediction: a choice, how sure, and the answer behind a button."""

from __future__ import annotations

from dataclasses import replace

from grader.course import Question
from grader.learning.journal import Prediction, Sure, read_journal
from grader.learning.notebook.question_view import CONFIDENCE, Actions, Asked, QuestionView
from grader.learning.predictions import lock_in

SHOW = "Show the answer"


class PredictionButtons:
    """A question in a cell. An answer that was locked in earlier is still locked in."""

    def __init__(self, question: Question) -> None:
        self._asked = Asked(question, f"Prediction {question.number}")
        self.view = QuestionView(self._asked, Actions(self._lock_in, self._show_the_answer))
        if earlier := read_journal()[0].prediction(question.number):
            self._close(earlier)

    def _lock_in(self, choice: str, sure: Sure) -> None:
        self._close(*lock_in(self._asked.question, choice, sure))

    def _close(self, prediction: Prediction, notice: str = "") -> None:
        sentences = [_locked(prediction), "Run the next cell, then show the answer.", notice]
        message = " ".join(filter(None, sentences))
        self._show(replace(self._asked, chosen=prediction.choice, message=message, button=SHOW))

    def _show_the_answer(self) -> None:
        self._show(replace(self._asked, message="", is_answered=True, button=""))

    def _show(self, asked: Asked) -> None:
        self._asked = asked
        self.view.show(asked)


def _locked(prediction: Prediction) -> str:
    """What was locked in, in the words of the buttons."""
    words = {sure: word for word, sure in CONFIDENCE.items()}
    return f"Locked in: {prediction.choice}, {words.get(prediction.sure, prediction.sure)}."
