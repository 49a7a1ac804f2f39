"""The live form of a review: one question after the other, then a module of the exam's pool."""

from __future__ import annotations

from dataclasses import replace

from grader.course import Question
from grader.learning.journal import Sure, now
from grader.learning.notebook.question_view import Actions, Asked, QuestionView
from grader.learning.predictions import answer_again


class ReviewButtons:
    """Asks the questions that are due, then a last one, whose answer is not kept.

    Args:
        questions: those that are due.
        last: about a module of the exam's pool.
    """

    def __init__(self, questions: list[Question], last: Question) -> None:
        self._waiting, self._of, self._last = [*questions, last], len(questions), last
        self._asked = self._next()
        self.view = QuestionView(self._asked, Actions(self._answer, self._go_on))

    def _next(self) -> Asked:
        question = self._waiting.pop(0)
        if question is self._last:
            return Asked(question, "One more: find the bug, if there is one", with_code=True)
        count = f"{self._of - len(self._waiting) + 1} of {self._of}"
        return Asked(question, f"Prediction {question.number}, {count}", with_code=True)

    def _answer(self, choice: str, sure: Sure) -> None:
        question = self._asked.question
        kept = () if question is self._last else answer_again(question, choice, sure, now())
        then = "" if self._waiting else "That was the last one."
        message = " ".join(filter(None, [*kept, then]))
        button = "Next question" if self._waiting else ""
        asked = replace(
            self._asked, chosen=choice, message=message, is_answered=True, button=button
        )
        self.view.show(asked)

    def _go_on(self) -> None:
        self._asked = self._next()
        self.view.show(self._asked)
