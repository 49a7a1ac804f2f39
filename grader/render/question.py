"""A question for a learner, as text and as HTML. It never depends on what they answered before."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill, indent

from grader.questions import Question
from grader.render.html import STYLE
from grader.render.parts import SIGNS, Mood
from grader.render.templating import render

WIDTH = 100


def to_text(question: Question, with_code: bool = False) -> str:
    """The question and its choices; with the code, it can be read without the notebook."""
    lines = [f"Prediction {question.number}", _wrapped(question.text, "")]
    if with_code and question.code:
        lines += ["", indent(question.code, "    ")]
    lines.append("")
    for letter in question.letters:
        text = question.choice(letter).text
        lines.append(_wrapped(text, f"  {letter}. "))
    return "\n".join(lines)


def answer_text(question: Question, chosen: str = "") -> str:
    """Why the right choice is right, and what is wrong with the one chosen."""
    return "\n".join(
        f"{SIGNS[_look(letter, question)]} {heading}\n"
        + _wrapped(question.choice(letter).why, "  ")
        for letter, heading in _explained(question, chosen)
    )


def to_html(question: Question, with_code: bool = False) -> str:
    """The question and its choices, as one self-contained piece of HTML."""
    values = {"question": question, "with_code": with_code, "style": STYLE}
    return str(render("grader.render", "question.html", **values))


def answer_html(question: Question, chosen: str = "") -> str:
    """The HTML of `answer_text`."""
    explained = [
        (_look(letter, question), heading, question.choice(letter).why)
        for letter, heading in _explained(question, chosen)
    ]
    values = {"explained": explained, "signs": SIGNS, "style": STYLE}
    return str(render("grader.render", "answer.html", **values))


def _look(letter: str, question: Question) -> Mood:
    return "good" if letter == question.right else "bad"


def _explained(question: Question, chosen: str) -> Iterator[tuple[str, str]]:
    """The choices to explain, each with what stands above it."""
    if chosen and chosen != question.right:
        yield chosen, f"Not {chosen}: {question.choice(chosen).text}"
    yield question.right, f"{question.right} is right: {question.choice(question.right).text}"


def _wrapped(text: str, lead: str) -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
