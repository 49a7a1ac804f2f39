"""A question for a learner, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill, indent

from grader.course import Item
from grader.learning.journal import Prediction
from grader.learning.quiz.keeping import locked_text
from grader.render import SIGNS, STYLE, Mood, render_template

WIDTH = 100


def question_text(question: Item, with_code: bool = False) -> str:
    """The question and its choices; with the code, it can be read without the notebook."""
    lines = [question.title, _wrap(question.asked, "")]
    if with_code and question.code:
        lines += ["", indent(question.code, "    ")]
    lines.append("")
    for letter in question.letters:
        text = question.choice(letter).text
        lines.append(_wrap(text, f"  {letter}. "))
    return "\n".join(lines)


def answer_text(question: Item, chosen: str = "") -> str:
    """Why the right choice is right, and what is wrong with the one chosen."""
    return "\n".join(
        f"{SIGNS[look]} {heading}\n" + _wrap(why, "  ")
        for look, heading, why in explained(question, chosen)
    )


def to_html(question: Item, made: Prediction | None = None) -> str:
    """The question and what was answered, as one self-contained piece of HTML."""
    values = {
        "locked": locked_text(made) if made else "",
        "answer": list(explained(question, made.choice)) if made and made.is_marked else (),
        "signs": SIGNS,
        "style": STYLE,
    }
    return str(render_template("grader.learning", "question.html", question=question, **values))


def explained(question: Item, chosen: str) -> Iterator[tuple[Mood, str, str]]:
    """The choices to explain: how each looks, what stands above it, and why."""
    if chosen and chosen != question.right:
        wrong = question.choice(chosen)
        yield "bad", f"Not {chosen}: {wrong.text}", wrong.why
    right = question.choice(question.right)
    yield "good", f"{question.right} is right: {right.text}", right.why


def _wrap(text: str, lead: str) -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
