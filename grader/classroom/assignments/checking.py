"""What is checked of an assignment: a learner's copy, and each variant before it is sent.

A copy is checked without a solution. What it says is where something is wrong and why, as for any
exercise, but never how to fix it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from grader.course import load_rubric, solution_of, starter_of
from grader.grading import answer_file, grade_file
from grader.loading import LoadingError
from grader.schema import RUBRIC, Report, Rubric

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


def problems_of_variants(rubrics: Iterable[Rubric]) -> Iterator[str]:
    """For each variant, what is wrong with it, in order; `""` if it can be handed out."""
    from grader.probe import process_pool

    with process_pool() as processes:
        yield from processes.map(problem_of_variant, rubrics)


def problem_of_variant(rubric: Rubric) -> str:
    """Empty if its solution passes in full and its starter, touched, does not."""
    solution = grade_file(rubric, solution_of(rubric))
    if solution.verdict != "passed" or solution.findings:
        return f"its solution: {solution.verdict}; {solution.message}"
    # One more name, so that it does not count as untouched.
    with answer_file(rubric, f"{starter_of(rubric)}\nTOUCHED = True\n") as path:
        verdict = grade_file(rubric, path).verdict
    return "" if verdict == "failed" else f"its starter is {verdict}"
