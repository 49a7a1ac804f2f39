"""One variant of an exercise: a task of its own, with its solution and its rubric."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.schema import CheckName, Rubric

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


def for_learners(rubric: Rubric, *, thorough: bool = False) -> Rubric:
    """The part of a rubric that needs no solution: structure and placement, without hints.

    Args:
        rubric: the one for marks.
        thorough: whether the copy looks at moves after the first call, and at devices that a
            constructor is given, because the fault shows nowhere else.
    """
    points = {name: rubric.points[name] for name in VISIBLE if name in rubric.points}
    recipe = replace(rubric.recipe, thorough=thorough, measures_noise=False)
    return replace(rubric, recipe=recipe, points=points, hints=(), reason="", also_right=())
