"""Three ways through the course, by the time that a learner has."""

from __future__ import annotations

from typing import Literal

from grader.course.catalog import all_rubrics
from grader.schema import Rubric

Way = Literal["hour", "weekend", "everything"]
WAYS: dict[Way, str] = {
    "hour": "00, 03, 05 and 06, then ten of `grader puzzles`",
    "weekend": "all that is not optional",
    "everything": "all notebooks and exercises",
}
HOUR = ("00", "03", "05", "06")


def rubrics_on(way: Way) -> tuple[Rubric, ...]:
    """The exercises on a way, in the order of the course."""
    every = all_rubrics()
    if way == "hour":
        return tuple(rubric for rubric in every if rubric.number in HOUR)
    return tuple(rubric for rubric in every if way == "everything" or not rubric.optional)
