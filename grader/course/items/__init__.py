"""What a learner is asked, as data: predictions, levels of one minute, and the exam's modules.

`questions/` has a file a notebook, named by its stem; `levels/` one a puzzle, in their order; and
`modules/` one a module. What happens to a module is measured, by `tools/refresh_exam.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from grader.course.items.item import Choice, Item
from grader.course.items.offering import with_edits, with_outcomes
from grader.course.numbers import full_number
from grader.errors import GraderError

__all__ = ["Choice", "Item"]
CONTENT = Path(__file__).parent.parent
QUESTIONS, LEVELS, MODULES = CONTENT / "questions", CONTENT / "levels", CONTENT / "modules"


class UnknownItemError(GraderError, LookupError):
    """There is no such question, notebook or level."""


class _Questions(msgspec.Struct, forbid_unknown_fields=True):
    items: tuple[Item, ...]


def question_stems() -> tuple[str, ...]:
    """The stems of the notebooks that have questions, in the order of the course."""
    return tuple(sorted(path.stem for path in QUESTIONS.glob("[0-9]*.toml")))


@cache
def load_questions(stem: str) -> tuple[Item, ...]:
    """The questions of one notebook, in its order."""
    items = msgspec.toml.decode((QUESTIONS / f"{stem}.toml").read_bytes(), type=_Questions).items
    return tuple(replace(item, title=f"Prediction {item.key}") for item in items)


def all_questions() -> tuple[Item, ...]:
    """The questions of all notebooks, in the order of the course."""
    return tuple(question for stem in question_stems() for question in load_questions(stem))


@cache
def all_puzzles() -> tuple[Item, ...]:
    """The levels, from trivial to hard."""
    paths = sorted(LEVELS.glob("*.toml"))
    return tuple(
        with_edits(_load(path), f"Level {number} of {len(paths)}")
        for number, path in enumerate(paths, 1)
    )


@cache
def pool() -> tuple[Item, ...]:
    """The exam's modules, which work, raise on CUDA, or are silently wrong."""
    return tuple(with_outcomes(_load(path)) for path in sorted(MODULES.glob("*.toml")))


def _load(path: Path) -> Item:
    """One item; its key is its file's name without the number, which may change."""
    return replace(
        msgspec.toml.decode(path.read_bytes(), type=Item), key=path.stem.lstrip("0123456789_")
    )


def notebook_of(number: str | float) -> str:
    """The stem of the notebook with an exercise or a question, `""` if there is none.

    It is the one of that number, 09c for `09c.1`, else the one without the letter, 09 for `09b`.
    """
    name = full_number(number).partition(".")[0]
    numbered = {stem.split("_")[0]: stem for stem in question_stems()}
    return numbered.get(name) or numbered.get(name[:2], "")


def find_notebook(number: str | float) -> str:
    """The stem of the notebook called `number`: `03`, `3` or `09c`.

    Raises:
        UnknownItemError: there is none.
    """
    if found := notebook_of(number):
        return found
    raise _unknown("notebook", number, (stem.split("_")[0] for stem in question_stems()))


def find_question(number: str) -> Item:
    """The question called `number`: `03.1` or `3.1`.

    Raises:
        UnknownItemError: there is no such question.
    """
    expected = full_number(number)  # predict(3.1) is understood
    notebook = expected.partition(".")[0]
    near = [item for item in all_questions() if item.key.partition(".")[0] == notebook]
    for question in near:
        if question.key == expected:
            return question
    known = [question.key for question in near] or ["questions such as 03.1"]
    raise _unknown("question", number, known)


def find_puzzle(number: str) -> Item:
    """The level with that number: `7` or `07`.

    Raises:
        UnknownItemError: there is none.
    """
    levels = all_puzzles()
    if not (number.isdecimal() and 0 < int(number) <= len(levels)):
        raise _unknown("level", number, ("1", f"to {len(levels)}"))
    return levels[int(number) - 1]


def _unknown(what: str, number: str | float, known: Iterable[str]) -> UnknownItemError:
    return UnknownItemError(f"There is no {what} {number}. There are {', '.join(known)}.")
