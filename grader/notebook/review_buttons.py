"""The buttons of a review: one question after the other, each with a choice and a confidence."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as widgets

from grader.journal import now
from grader.learning.predictions import SURE
from grader.learning.review import answer_again
from grader.notebook.prediction_buttons import radio
from grader.notebook.widgets import focus
from grader.questions import Question
from grader.render.question import answer_html, to_html


class ReviewButtons:
    """Asks the questions that are due, until there are no more."""

    def __init__(self, questions: list[Question]) -> None:
        self.waiting, self.of = questions, len(questions)
        self.asked = widgets.HTML()
        self.said = widgets.HTML()
        self.answer = widgets.Button(description="Answer")
        self.next = widgets.Button(description="Next question")
        self.radios = widgets.VBox()
        self.box = widgets.VBox(
            [self.asked, self.radios, widgets.HBox([self.answer, self.next]), self.said]
        )
        self.answer.on_click(self._answer)
        self.next.on_click(lambda _: self._ask())
        self._ask()

    def _ask(self) -> None:
        self.question = self.waiting.pop(0)
        self.choice = radio("Your answer:", self.question.letters)
        self.sure = radio("How sure:", SURE)
        self.radios.children = (self.choice, self.sure)
        for each in self.radios.children:
            each.observe(self._open, "value")
        place = f"<div>{self.of - len(self.waiting)} of {self.of}</div>"
        self.asked.value = place + to_html(self.question, with_code=True)
        self.said.value = ""
        self.answer.disabled = self.next.disabled = True

    def _open(self, _: Any) -> None:
        self.answer.disabled = self.choice.value is None or self.sure.value is None

    def _answer(self, _: Any) -> None:
        when, notice = answer_again(self.question, self.choice.value, self.sure.value, now())
        for each in (self.choice, self.sure, self.answer):
            each.disabled = True
        self.next.disabled = not self.waiting
        then = "" if self.waiting else "That was the last one."
        told = escape(" ".join(filter(None, [when, notice, then])))
        self.said.value = f"{answer_html(self.question, self.choice.value)}<div>{told}</div>"
        if self.waiting:
            focus(self.next)
