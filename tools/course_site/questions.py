"""A prediction: what its view shows before an answer and after each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from course_site.mounting import mount
from grader.course import Question, find_question
from grader.learning.notebook.question_view import CONFIDENCE, QuestionState, view_data


def prediction(number: str) -> Markup:
    """The mount of the question called `number`."""
    return mount("question", question_data(find_question(number)))


def question_data(question: Question, title: str = "") -> dict[str, Any]:
    """The first view, the right letter, by letter the explanation, and what a button means.

    Args:
        question: what is asked.
        title: of a question with code of its own, instead of its number.
    """
    state = QuestionState(question, title or f"Prediction {question.number}", bool(title))
    answers = {
        letter: view_data(replace(state, chosen=letter, is_answered=True))
        for letter in question.letters
    }
    return {
        "view": view_data(state),
        "right": question.right,
        "answers": {letter: shown["answer"] for letter, shown in answers.items()},
        "sure": CONFIDENCE,
    }
