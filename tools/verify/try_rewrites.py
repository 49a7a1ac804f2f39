"""Tries the grader on rewrites: other forms of the solutions, each of which should pass in full."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from grader.course import solution_of
from grader.grading.grade import answer_file, grade_file
from grader.loading import read_source
from grader.schema import Rubric
from verify.rewrites import Rewrite, rewrites_of

if TYPE_CHECKING:
    from grader.probe import DeviceChoice
    from grader.schema import Report


def try_rewrites(
    rubric: Rubric,
    device: DeviceChoice = "auto",
    *,
    every: int = 1,
    jobs: int | None = None,
) -> Iterator[tuple[Rewrite, Report]]:
    """Grade every rewrite of an exercise's solution.

    Args:
        rubric: the exercise.
        device: what to judge on.
        every: grade only each so-many-th.
        jobs: how many processes grade; one for each processor, unless given.
    """
    from grader.probe import process_pool

    if rubric.recipe.model:  # the rules rewrite an `nn.Module`
        return
    source = read_source(solution_of(rubric))
    rewrites = [
        rewrite
        for rewrite in rewrites_of(source, rubric.class_name, rubric.names_matter)
        # `to_empty` cannot give memory to a lazy layer, which has no shape yet.
        if not ("meta" in rubric.recipe.elsewhere and rewrite.rule.startswith("lazy"))
    ][::every]
    with process_pool(jobs) as pool:
        yield from zip(rewrites, pool.map(partial(_graded, rubric, device), rewrites), strict=True)


def _graded(rubric: Rubric, device: DeviceChoice, rewrite: Rewrite) -> Report:
    with answer_file(rubric, rewrite.source) as path:
        return grade_file(rubric, path, device)
