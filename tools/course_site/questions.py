"""A prediction: what its view shows before an answer and after each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from course_site.mounting import mount
from grader.course import Item, find_question
from grader.learning.notebook.quiz import Asking, pieces, view_data

Beside = Mapping[str, tuple[tuple[str, str], ...]]


def prediction(number: str) -> Markup:
    """The mount of the question called `number`."""
    return mount("question", question_data(find_question(number)))


def question_data(item: Item, beside: Beside | None = None) -> Any:
    """The first view, the right letter, and by letter what is said of its choice.

    Args:
        item: what is asked.
        beside: what stands next to the code, by the letter of an answer; `""` before one. Without,
            the code is left out: it stands in the page.
    """
    written = ".wmt.question" if beside is None else ""
    state = Asking(item, with_code=beside is not None, replaces=written)
    reasons = {letter: pieces(item.choice(letter).why) for letter in item.letters}
    data = {"view": view_data(state), "right": item.right, "reasons": reasons}
    return {**data, **_interned(beside)} if beside else data


def _interned(beside: Beside) -> dict[str, Any]:
    """The lines beside the code, each once, and by letter the numbers of those that are shown."""
    lines = list(dict.fromkeys(line for shown in beside.values() for line in shown))
    numbers = {letter: [lines.index(line) for line in shown] for letter, shown in beside.items()}
    return {"lines": lines, "beside": numbers}
