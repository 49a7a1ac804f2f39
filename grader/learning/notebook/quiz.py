"""A question in a notebook: click an answer or press its letter, then lock it in.

Python says what there is to see; `quiz.js` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import groupby
from typing import Any

import anywidget
import traitlets
from pygments.lexers.python import PythonLexer
from pygments.token import Token

from grader.course import Item
from grader.learning.first_look import FirstLook
from grader.learning.notebook.widgets import script
from grader.learning.quiz.words import explained
from grader.render import SIGNS, spans, visible

_FOLDER = files("grader.learning.notebook")
# By kind of token, a class of `quiz.css`.
COLOURS = {
    Token.Comment: "comment",
    Token.Keyword: "keyword",
    Token.Operator.Word: "keyword",
    Token.Literal.String: "string",
    Token.Literal.Number: "number",
    Token.Name.Class: "name",
    Token.Name.Function: "name",
}
SURE = (("I am sure", True), ("I am not sure", False))


@dataclass(frozen=True)
class Asking:
    """What is to be seen of one question.

    Attributes:
        with_code: whether the code it speaks of is shown, as to someone without the notebook.
        beside: gives the lines next to the code, each with its look: a class of the style sheet.
        locks: the buttons that lock an answer in, and what each sends.
        replaces: what stands above for pages without widgets, as a CSS selector; it is hidden.
        chosen: the letter that was locked in; `""` until then.
        tried: the letters that were wrong, where there is another try.
        message: what to know or to do now.
        is_answered: whether the right answer is shown.
        button: what the button below does next; `""` for none.
    """

    item: Item
    with_code: bool = False
    beside: Callable[[], tuple[tuple[str, str], ...]] = tuple
    locks: tuple[tuple[str, bool], ...] = SURE
    replaces: str = ""
    chosen: str = ""
    tried: tuple[str, ...] = ()
    message: str = ""
    is_answered: bool = False
    button: str = ""


class QuestionView(anywidget.AnyWidget):
    """Shows a question, and passes on what its reader does.

    Args:
        asked: what is seen at first.
        lock_in: called with the letter of an answer, and what its button sends.
        go_on: called for the button below.

    Attributes:
        view: all that is to be seen; it changes at once or not at all.
    """

    _esm = script(_FOLDER.joinpath("quiz.js"))
    _css = _FOLDER.joinpath("quiz.css").read_text(encoding="utf-8")
    view = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        asked: Asking,
        lock_in: Callable[[str, bool], object],
        go_on: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(view=view_data(asked))
        self._asked, self._lock_in, self._go_on = asked, lock_in, go_on
        self.on_msg(self._received)

    def show(self, asked: Asking) -> None:
        self._asked = asked
        self.view = view_data(asked)

    def _received(self, _: object, message: dict[str, Any], __: object) -> None:
        letters = set(self._asked.item.letters).difference(self._asked.tried)
        match message:
            case {"lock": str(letter), "sure": bool(sure)} if (
                not self._asked.chosen and letter in letters
            ):
                self._lock_in(letter, sure)
            case {"go_on": True} if self._asked.button:
                self._go_on()


class Turns:
    """One question after the other.

    Args:
        waiting: the questions.
        answer: called with a question, the letter chosen and whether it is a sure one. It returns
            the question as it is shown then; or None, if the next one is shown at once.
    """

    def __init__(
        self,
        waiting: Iterable[Asking],
        answer: Callable[[Asking, str, bool], Asking | None],
    ) -> None:
        self.waiting, self._answer = list(waiting), answer
        self._asked = self.waiting.pop(0)
        self.view = QuestionView(self._asked, self._lock_in, self._go_on)

    def _lock_in(self, choice: str, sure: bool) -> None:
        if shown := self._answer(self._asked, choice, sure):
            button = shown.button if self.waiting else ""
            self.view.show(replace(shown, chosen=choice, button=button))
        else:
            self._go_on()

    def _go_on(self) -> None:
        self._asked = self.waiting.pop(0)
        self.view.show(self._asked)


def view_data(asked: Asking) -> dict[str, Any]:
    """All that is to be seen of a question, as JSON."""
    item = asked.item
    return {
        "number": item.key,
        "heading": item.title,
        "text": pieces(item.asked),
        "code": _coloured(item.shown_code) if asked.with_code else [],
        "beside": asked.beside(),
        "options": [
            # What is called by a number is a line of code.
            [letter, [(text, True)] if letter.isdecimal() else pieces(text), _look(asked, letter)]
            for letter in item.letters
            for text in [item.choice(letter).text]
        ],
        "locks": asked.locks,
        "replaces": asked.replaces,
        "chosen": asked.chosen,
        "message": pieces(asked.message),
        "button": asked.button,
        "answer": [
            {"look": look, "heading": pieces(f"{SIGNS[look]} {heading}"), "why": pieces(why)}
            for look, heading, why in explained(item, asked.chosen)
        ]
        if asked.is_answered
        else [],
    }


def line_asked(look: FirstLook) -> Asking:
    """Which line is to blame?"""
    locks = (("This line is to blame", True),)
    button = "Show me the whole report"
    return Asking(look.question, locks=locks, replaces=".wmt-by-hand", button=button)


def _look(asked: Asking, letter: str) -> str:
    """How a choice is marked: `good` if it is right, `bad` if it was chosen and is wrong."""
    if asked.is_answered and letter == asked.item.right:
        return "good"
    is_wrong = asked.is_answered and letter == asked.chosen
    return "bad" if is_wrong or letter in asked.tried else ""


def _coloured(code: str) -> list[tuple[str, str]]:
    """Python code in pieces, each with the class of its colour, or `""`."""
    tokens = PythonLexer(stripnl=False, ensurenl=False).get_tokens(code)
    runs = groupby(tokens, key=lambda token: _colour(token[0]))
    return [("".join(text for _, text in run), colour) for colour, run in runs]


def _colour(kind: object) -> str:
    return next((colour for token, colour in COLOURS.items() if kind in token), "")


def pieces(text: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it is code."""
    return [(piece[1:-1] if is_code else piece, is_code) for piece, is_code in spans(visible(text))]
