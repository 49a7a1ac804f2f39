"""A prediction: what its view shows before an answer and after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from course_site.mounting import mount
from grader.course import Question, find_question
from grader.learning.notebook.quiz import Asked, view_data

Beside = Mapping[str, tuple[tuple[str, str], ...]]


def prediction(number: str) -> Markup:
    """The mount of the question called `number`."""
    return mount("question", question_data(find_question(number)))


def question_data(question: Question, title: str = "", beside: Beside | None = None) -> Any:
    """The first view, the right letter, by letter what its answer changes.

    Args:
        question: what is asked.
        title: of a question with code of its own, instead of its number.
        beside: what stands next to the code, by the letter of an answer; `""` before one.
    """
    state = Asked(question, title or f"Prediction {question.number}", bool(title))
    beside = beside or {}
    first = view_data(replace(state, beside=beside.get("", ())))
    answers = {}
    for letter in question.letters:
        answered = replace(state, chosen=letter, is_answered=True, beside=beside.get(letter, ()))
        shown = view_data(answered)
        answers[letter] = {key: shown[key] for key in ("answer", "beside")}
    return {"view": first, "right": question.right, "answers": answers}
