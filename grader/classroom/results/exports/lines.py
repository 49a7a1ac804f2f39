"""A result as scored lines that add up, whatever its verdict: what graders elsewhere call tests."""

from __future__ import annotations

from dataclasses import dataclass

from grader.classroom.results.gradebook import Result
from grader.schema import Check


@dataclass(frozen=True)
class Line:
    """One line; the points of all lines add up to the result's."""

    name: str
    passed: bool
    points: int
    max_points: int
    message: str


def _is_passed(check: Check) -> bool:
    """Other systems know no third state: what was not run, or does not count, has not passed."""
    return check.passed and check.status == "run"


def scored_lines(result: Result) -> tuple[Line, ...]:
    """At least one line, with as many points in all as the exercise has."""
    if result.entry is None:
        return (Line("handed in", False, 0, result.max_score, result.explanation),)
    if result.marked:
        whole = result.score == result.max_score
        return (Line("a person's mark", whole, result.score, result.max_score, result.explanation),)
    report = result.entry.report
    lines = tuple(
        Line(check.name, _is_passed(check), check.points, check.max_points, check.message)
        for check in report.checks
    )
    missing = result.max_score - sum(line.max_points for line in lines)
    if lines and not missing:
        return lines
    points = result.score - sum(line.points for line in lines)
    return (*lines, Line(report.verdict, points == missing, points, missing, result.explanation))
