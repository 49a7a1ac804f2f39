"""A prediction: what its view shows before an answer and after each."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from course_site.mounting import mount
from grader.course import Question, find_question
from grader.learning.notebook.question_view import CONFIDENCE, QuestionState, view_data


def prediction(number: str) -> Markup:
    """The mount of the question called `number`."""
    return mount("question", question_data(find_question(number)))


def question_data(question: Question) -> dict[str, Any]:
    """The first view, the right letter, by letter the explanation, and what a button means."""
    heading = f"Prediction {question.number}"
    answers = {
        letter: view_data(QuestionState(question, heading, chosen=letter, is_answered=True))
        for letter in question.letters
    }
    return {
        "view": view_data(QuestionState(question, heading)),
        "right": question.right,
        "answers": {letter: shown["answer"] for letter, shown in answers.items()},
        "sure": CONFIDENCE,
    }
