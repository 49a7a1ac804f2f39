"""One variant of an exercise: a task of its own, with its solution and its rubric.

A learner's copy is checked without the solution, and gives no marks. What it says is where
something is wrong and why, as for any exercise, but never how to fix it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from grader.course import load_rubric
from grader.loading import LoadingError
from grader.schema import RUBRIC, CheckName, Report, Rubric

# What a learner's copy can tell without a solution.
VISIBLE: tuple[CheckName, ...] = ("parameters", "buffers", "state_dict", "placement")
# The end of a task whose copy tells of both structure and placement; `stem` is the exercise's.
CHECKED_HERE = '''\
See what your copy can tell:  grader check {stem}.py
That is structure and placement. Marks are given elsewhere: there, what `forward` gives and how it
trains count as well.
"""
'''


@dataclass(frozen=True)
class Variant:
    """One variant.

    Attributes:
        rubric: what marks are given by.
        learners: the rubric of the learner's copy. It holds what the task says anyway, for other
            sizes, so that a constant which fits them earns nothing.
        starter: what the learner is given.
        solution: one good answer.
    """

    rubric: Rubric
    learners: Rubric
    starter: str
    solution: str


Template = Callable[[random.Random], Variant]


def for_learners(rubric: Rubric) -> Rubric:
    """The part of a rubric that needs no solution: structure and placement, without hints."""
    points = {name: rubric.points[name] for name in VISIBLE if name in rubric.points}
    recipe = replace(rubric.recipe, thorough=False, measures_noise=False)
    return replace(rubric, recipe=recipe, points=points, hints=(), reason="", also_right=())


ELSEWHERE = (
    "This looked at structure and placement only. Marks are given elsewhere, and there counts what "
    "forward gives as well: compare it with what the starter gives on the CPU."
)
YOURS = "yours to find, since this exercise is for marks."


def learners_rubric(path: Path) -> Rubric | None:
    """That of the assignment whose copy a file lies in; None if it lies in none.

    Raises:
        LoadingError: the rubric next to it cannot be read.
    """
    if not (path.parent / RUBRIC).exists():
        return None
    try:
        return load_rubric("", str(path.parent.resolve()))
    except (OSError, msgspec.DecodeError) as error:
        raise LoadingError(f"{path.parent / RUBRIC} cannot be read: {error}") from None


def without_marks(report: Report) -> Report:
    """The report without fixes; its last words say where the marks are given."""
    return replace(
        report,
        title=f"{report.title}: what this copy can tell",
        findings=tuple(replace(finding, fix=YOURS, edits=()) for finding in report.findings),
        next_step=ELSEWHERE,
    )
