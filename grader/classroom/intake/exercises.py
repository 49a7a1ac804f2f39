"""Which exercise a file answers: by its name, else by the classes that it defines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from grader.course import all_rubrics
from grader.schema import Rubric


@dataclass(frozen=True)
class ExerciseName:
    """What a name says of the exercise.

    Attributes:
        number: the exercise's.
        before: what stands before it in the name: the learner, perhaps.
        is_whole: whether the exercise's whole name is there; a bare number may mean something else.
        version: 2 in `03_member_tensors (2)` or `03_member_tensors-2`, as systems number copies.
    """

    number: str
    before: str
    is_whole: bool
    version: int


def exercise_in_name(stem: str) -> ExerciseName | None:
    """What a file's or folder's name, without its suffix, says of the exercise."""
    match = _pattern().search(stem)
    if match is None:
        return None
    number = (match["stem"] or match["number"]).split("_")[0].lower()
    copies = re.findall(r"-(\d+)$|\((\d+)\)$", match["rest"] or "")
    version = int("".join(copies[0])) if copies else 0
    return ExerciseName(number, stem[: match.start()], bool(match["stem"]), version)


def exercise_in_path(parts: tuple[str, ...]) -> ExerciseName | None:
    """What a path says of the exercise: the file's name, else a folder's with the whole stem.

    A bare number in a folder's name is something else: `week 03`, `python3.11`.
    """
    if exercise := exercise_in_name(parts[-1].rpartition(".")[0]):
        return exercise
    folders = filter(None, map(exercise_in_name, reversed(parts[:-1])))
    return next((exercise for exercise in folders if exercise.is_whole), None)


def starts_with_stem(name: str) -> bool:
    return name.lower().startswith(tuple(rubric.stem for rubric in course().values()))


@cache
def course() -> dict[str, Rubric]:
    """The exercises by their numbers, read once."""
    return {rubric.number: rubric for rubric in all_rubrics()}


@cache
def _pattern() -> re.Pattern[str]:
    """An exercise's whole stem anywhere in a name, or its bare number as the last word."""
    whole = "|".join(re.escape(rubric.stem) for rubric in course().values())
    numbers = "|".join(map(re.escape, course()))
    return re.compile(
        rf"(?:^|(?<=[\W_]))(?:(?P<stem>{whole})(?![^\W_])(?P<rest>.*)|(?P<number>{numbers}))$",
        re.IGNORECASE,
    )
