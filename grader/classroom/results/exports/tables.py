"""Results as rows that a spreadsheet opens safely, and as scored lines that add up.

Whatever a result's verdict, its lines are what graders elsewhere call tests.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.classroom.results.gradebook import Gradebook, GradeItem, Result
from grader.classroom.results.late_policy import Points
from grader.render import visible
from grader.schema import Report

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


def scored_lines(result: Result) -> tuple[ScoredLine, ...]:
    """At least one line, with as many points in all as the exercise has."""
    score, most, why = result.score, result.max_score, result.explanation
    if result.entry is None:
        return (ScoredLine("handed in", False, 0, most, why),)
    if result.marked:
        return (ScoredLine("a person's mark", score == most, score, most, why),)
    report = result.entry.report
    lines = tuple(
        # Other systems know no third state: what was not run, or does not count, has not passed.
        ScoredLine(c.name, c.passed and c.status == "run", c.points, c.max_points, c.message)
        for c in report.checks
    )
    missing = most - sum(line.max_points for line in lines)
    if lines and not missing:
        return lines
    points = score - sum(line.points for line in lines)
    return (*lines, ScoredLine(report.verdict, points == missing, points, missing, why))


# Canvas finds a learner by its own number, and where there is none by the login.
CANVAS_COLUMNS = ("Student", "ID", "SIS Login ID", "Section")


def canvas_csv(book: Gradebook) -> str:
    """Marks for Canvas. An empty cell leaves what Canvas has, so no doubt becomes a 0."""
    return to_csv(
        [
            [*CANVAS_COLUMNS, *map(_canvas_title, book.items)],
            ["    Points Possible", "", "", "", *(item.points for item in book.items)],
            *(_canvas_row(book, learner) for learner in book.learners),
        ]
    )


def _canvas_title(item: GradeItem) -> str:
    """An assignment's name; Canvas finds one that exists by the number in brackets at its end."""
    return f"{item.title} ({item.rules.canvas})" if item.rules.canvas else item.title


def _canvas_row(book: Gradebook, learner: str) -> list[Cell]:
    marks = ("" if total.mark is None else total.mark for total in book.totals(learner))
    return [learner, book.ids.get(learner, ""), learner, book.person(learner).section, *marks]


COLUMNS = (
    *("learner", "learner_id", "email", "section", "group", "exercise", "title", "verdict"),
    *("needs_a_person", "score", "max_score", "mark", "late", "due", "arithmetic", "handed_in"),
    *("findings", "flags", "message", "comments", "device", "isolation", "seconds", "file"),
    *("submission", "rubric", "assignment", "assignment_mark"),
)


def results_csv(book: Gradebook) -> str:
    """All there is to know about each result: a row a learner and exercise."""
    totals = [total for learner in book.learners for total in book.totals(learner)]
    rows = (
        (*_row(book, result), total.item.name, "" if total.mark is None else total.mark)
        for total in totals
        for result in total.results
    )
    return to_csv([COLUMNS, *rows])


def _row(book: Gradebook, result: Result) -> Sequence[Cell]:
    rubric, entry, person = result.rubric, result.entry, book.person(result.learner)
    learner_id = book.ids.get(result.learner, "")
    who = (result.learner, learner_id, person.email, person.section, person.group)
    what = (rubric.number, rubric.title, result.verdict)
    marks = (
        _yes(result.needs_a_person),
        "" if result.mark is None else result.score,
        result.max_score,
        "" if result.mark is None else result.mark,
        _yes(result.is_late),
        result.terms.due.isoformat(timespec="minutes") if result.terms.due else "",
        result.arithmetic,
    )
    if entry is None:
        return (*who, *what, *marks, "", "", "", result.explanation, "", "", "", "", "", "", "")
    return (
        *who,
        *what,
        *marks,
        entry.handed_in,
        _findings(entry.report),
        "; ".join(f"{flag.kind}: {flag}" for flag in result.flags),
        result.explanation if result.is_unsettled or result.marked else entry.report.message,
        "\n".join(map(str, result.comments)),
        entry.device,
        entry.isolation,
        round(entry.seconds, 3),
        entry.file,
        entry.submission,
        entry.rubric,
    )


def _findings(report: Report) -> str:
    return "; ".join(
        f"{finding.code} {finding.where} (line {finding.line})" for finding in report.findings
    )


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
