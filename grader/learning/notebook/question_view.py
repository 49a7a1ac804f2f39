"""A question as a widget: click an answer or press its letter, then say how sure you are.

Python says what there is to see; `question_view.js` draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from typing import Any

import anywidget
import traitlets
from pygments.lexers.python import PythonLexer
from pygments.token import Token

from grader.course import Question
from grader.learning.notebook.widgets import script
from grader.learning.question import explained
from grader.render import SIGNS, spans, visible

_FOLDER = files("grader.learning.notebook")
# By kind of token, a class of `question_view.css`.
COLOURS = {
    Token.Comment: "comment",
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Name.Class: "name",
    Token.Name.Function: "name",
}


@dataclass(frozen=True)
class QuestionState:
    """What is to be seen of one question.

    Attributes:
        heading: what stands above it.
        with_code: whether the code it speaks of is shown, as to someone without the notebook.
        beside: lines that stand next to the code, each with its look: a class of the style sheet.
        chosen: the letter that was locked in; `""` until then.
        message: what to know or to do now.
        is_answered: whether the right answer is shown.
        button: what the button below does next; `""` for none.
    """

    question: Question
    heading: str
    with_code: bool = False
    beside: tuple[tuple[str, str], ...] = ()
    chosen: str = ""
    message: str = ""
    is_answered: bool = False
    button: str = ""


@dataclass(frozen=True)
class Actions:
    """What a reader can do.

    Attributes:
        lock_in: called with the letter of an answer, and how sure the reader is of it.
        go_on: called for the button below.
    """

    lock_in: Callable[[str, bool], None]
    go_on: Callable[[], None] = field(default=lambda: None)


class QuestionView(anywidget.AnyWidget):
    """Shows a question, and passes on what its reader does.

    Attributes:
        view: all that is to be seen; it changes at once or not at all.
    """

    _esm = script(_FOLDER.joinpath("question_view.js"))
    _css = _FOLDER.joinpath("question_view.css").read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(self, asked: QuestionState, actions: Actions) -> None:
        super().__init__(view=view_data(asked))
        self._asked, self._actions = asked, actions
        self.on_msg(self._received)

    def show(self, asked: QuestionState) -> None:
        self._asked = asked
        self.view = view_data(asked)

    def _received(self, _: object, message: dict[str, Any], __: object) -> None:
        letters = tuple(self._asked.question.letters)
        match message:
            case {"lock": str(letter), "sure": bool(sure)} if (
                not self._asked.chosen and letter in letters
            ):
                self._actions.lock_in(letter, sure)
            case {"go_on": True} if self._asked.button:
                self._actions.go_on()


def view_data(asked: QuestionState) -> dict[str, Any]:
    """All that is to be seen of a question, as JSON."""
    question = asked.question
    return {
        "number": question.number,
        "heading": asked.heading,
        "text": _pieces(question.text),
        "code": _coloured(question.code) if asked.with_code else [],
        "beside": asked.beside,
        "options": [[letter, _pieces(question.choice(letter).text)] for letter in question.letters],
        "chosen": asked.chosen,
        "message": asked.message,
        "button": asked.button,
        "answer": [
            {"look": look, "heading": _pieces(f"{SIGNS[look]} {heading}"), "why": _pieces(why)}
            for look, heading, why in explained(question, asked.chosen)
        ]
        if asked.is_answered
        else [],
    }


def _coloured(code: str) -> list[tuple[str, str]]:
    """Python code in pieces, each with the class of its colour, or `""`."""
    tokens = PythonLexer(stripnl=False, ensurenl=False).get_tokens(code)
    runs = groupby(tokens, key=lambda token: _colour(token[0]))
    return [("".join(text for _, text in run), colour) for colour, run in runs]


def _colour(kind: object) -> str:
    return next((colour for token, colour in COLOURS.items() if kind in token), "")


def _pieces(text: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it is code."""
    return [(piece[1:-1] if is_code else piece, is_code) for piece, is_code in spans(visible(text))]
