"""Tries each variant before anybody gets it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.course import solution_of, starter_of
from grader.grading import answer_file, grade_file
from grader.schema import Rubric


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
