"""The live form of a review: one question after the other."""

from __future__ import annotations

from dataclasses import replace

from grader.journal import Sure, now
from grader.learning.review import answer_again
from grader.notebook.question_view import Actions, Asked, QuestionView
from grader.questions import Question


class ReviewButtons:
    """Asks the questions that are due, until there are no more."""

    def __init__(self, questions: list[Question]) -> None:
        self._waiting, self._of = questions, len(questions)
        self._asked = self._next()
        self.view = QuestionView(self._asked, Actions(self._answer, self._go_on))

    def _next(self) -> Asked:
        question = self._waiting.pop(0)
        place = f"{self._of - len(self._waiting)} of {self._of}"
        return Asked(question, f"Prediction {question.number}, {place}", with_code=True)

    def _answer(self, choice: str, sure: Sure) -> None:
        when, notice = answer_again(self._asked.question, choice, sure, now())
        then = "" if self._waiting else "That was the last one."
        said = " ".join(filter(None, [when, notice, then]))
        button = "Next question" if self._waiting else ""
        asked = replace(self._asked, chosen=choice, said=said, is_answered=True, button=button)
        self.view.show(asked)

    def _go_on(self) -> None:
        self._asked = self._next()
        self.view.show(self._asked)
