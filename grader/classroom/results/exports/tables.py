"""Results as rows that a spreadsheet opens safely, and as scored lines that add up.

Whatever a result's verdict, its lines are what graders elsewhere call tests.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.results.gradebook import Result
from grader.classroom.results.late_policy import Points
from grader.render import visible
from grader.schema import Check

Cell = str | int | float
# A spreadsheet runs a cell that begins with one of these as a formula.
_FORMULA = (*"=+-@|%\t\r\n", *"\uff1d\uff0b\uff0d\uff20")  # the last are full width


def to_csv(rows: Iterable[Sequence[Cell]]) -> str:
    """The rows, quoted where they must be; lines end in CR LF, as RFC 4180 has it."""
    stream = io.StringIO()
    csv.writer(stream).writerows([safe(cell) for cell in row] for row in rows)
    return stream.getvalue()


def safe(cell: Cell) -> Cell:
    """Text that begins like a formula gets an apostrophe, which a spreadsheet takes for text."""
    if not isinstance(cell, str):
        return cell
    return visible(f"'{cell}" if cell.startswith(_FORMULA) else cell)


@dataclass(frozen=True)
class ScoredLine:
    """One line; the points of all lines add up to the result's."""

    name: str
    passed: bool
    points: Points
    max_points: int
    message: str


def _is_passed(check: Check) -> bool:
    """Other systems know no third state: what was not run, or does not count, has not passed."""
    return check.passed and check.status == "run"


def scored_lines(result: Result) -> tuple[ScoredLine, ...]:
    """At least one line, with as many points in all as the exercise has."""
    score, most, why = result.score, result.max_score, result.explanation
    if result.entry is None:
        return (ScoredLine("handed in", False, 0, most, why),)
    if result.marked:
        return (ScoredLine("a person's mark", score == most, score, most, why),)
    report = result.entry.report
    lines = tuple(
        ScoredLine(check.name, _is_passed(check), check.points, check.max_points, check.message)
        for check in report.checks
    )
    missing = most - sum(line.max_points for line in lines)
    if lines and not missing:
        return lines
    points = score - sum(line.points for line in lines)
    return (*lines, ScoredLine(report.verdict, points == missing, points, missing, why))
