"""The buttons of a prediction: a choice, a confidence, a lock, and the answer behind it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets as widgets

from grader.journal import Prediction, read
from grader.learning.predictions import SURE, lock_in, locked_text
from grader.notebook.widgets import focus
from grader.questions import Question
from grader.render.question import answer_html


class PredictionButtons:
    """What stands below a question. An answer that was locked in earlier is still locked in."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.choice = radio("Your answer:", question.letters)
        self.sure = radio("How sure:", SURE)
        self.lock = widgets.Button(description="Lock in", disabled=True)
        self.show = widgets.Button(description="Show the answer", disabled=True)
        self.said = widgets.HTML()
        self.box = widgets.VBox(
            [self.choice, self.sure, widgets.HBox([self.lock, self.show]), self.said]
        )
        for each in (self.choice, self.sure):
            each.observe(self._open_the_lock, "value")
        self.lock.on_click(self._lock_in)
        self.show.on_click(self._show_the_answer)
        if earlier := read()[0].prediction(question.number):
            self._close(earlier)

    def _open_the_lock(self, _: Any) -> None:
        self.lock.disabled = self.choice.value is None or self.sure.value is None

    def _lock_in(self, _: Any) -> None:
        prediction, notice = lock_in(self.question, self.choice.value, self.sure.value)
        self._close(prediction, notice)
        focus(self.show)

    def _close(self, prediction: Prediction, notice: str = "") -> None:
        self.choice.value, self.sure.value = prediction.choice, prediction.sure
        for each in (self.choice, self.sure, self.lock):
            each.disabled = True
        self.show.disabled = False
        told = [locked_text(prediction), "Run the next cell, then show the answer.", notice]
        self.said.value = escape(" ".join(filter(None, told)))

    def _show_the_answer(self, _: Any) -> None:
        self.show.disabled = True
        self.said.value = answer_html(self.question, self.choice.value)


def radio(label: str, options: Sequence[str]) -> widgets.RadioButtons:
    """One choice of several, with none chosen yet."""
    return widgets.RadioButtons(
        description=label,
        options=list(options),
        value=None,
        orientation="horizontal",
        style={"description_width": "7em"},
        layout=widgets.Layout(width="max-content"),
    )
