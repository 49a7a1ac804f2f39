"""Moodle's grading worksheet, filled in: a CSV for each assignment.

Moodle finds a learner by `Identifier` and takes `Grade` and `Feedback comments`; it refuses a file
without `Last modified (grade)` (mod/assign/feedback/offline/importgradeslib.php). All headings are
in the language of whoever downloads the worksheet.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from grader.classroom.results.exports.feedback import NoPlaceError, moodle_id
from grader.classroom.results.exports.tables import safe, scored_lines
from grader.classroom.results.gradebook import Gradebook, GradeItem, Result, Total, alone
from grader.classroom.results.term import TermError

ID, NAME, GRADE, MODIFIED, COMMENTS = (
    "Identifier",
    "Full name",
    "Grade",
    "Last modified (grade)",
    "Feedback comments",
)
MOST = ("Maximum grade", "Maximum Grade")
ID_NUMBER = "ID number"
Row = dict[str, str]


def moodle_files(book: Gradebook) -> Iterator[tuple[str, str]]:
    """For each assignment: the worksheet that the term names, else one of those who handed in.

    Raises:
        NoPlaceError: there is no worksheet, and nothing came from Moodle.
        TermError: a worksheet is none, or is about another number of points.
    """
    is_empty = True
    for item in book.items:
        totals = [book.total(learner, item) for learner in book.learners]
        if item.rules.worksheet:
            text = _fill_worksheet(Path(item.rules.worksheet), book, totals)
        else:
            text = _new_worksheet(totals)
        if text:
            is_empty = False
            yield f"{item.stem}.csv", text
    if is_empty:
        raise NoPlaceError(
            "Nothing here was graded from the zip of Moodle's *Download all submissions*. Or name "
            'its worksheet in the term\'s file: worksheet = "Grades.csv".'
        )


def _new_worksheet(totals: list[Total]) -> str:
    """A worksheet of those whose numbers are known; `""` of none."""
    rows = [
        {ID: f"Participant {number}", NAME: total.learner, MODIFIED: "-", **_mark(total)}
        for total in totals
        if (number := moodle_id(total))
    ]
    return _csv([ID, NAME, GRADE, MODIFIED, COMMENTS], rows) if rows else ""


def _fill_worksheet(path: Path, book: Gradebook, totals: list[Total]) -> str:
    """The worksheet with marks and comments; all else stays, as do rows that nobody is in.

    A row is a learner's by, in this order: the number at the end of Moodle's identifier, the ID
    number, the full name.

    Raises:
        TermError: it cannot be read, lacks a column, or is of an assignment with other points.
    """
    try:
        reader = csv.DictReader(path.read_text("utf-8-sig").splitlines(keepends=True))
        rows, headings = list(reader), list(reader.fieldnames or [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TermError(f"The worksheet {path} cannot be read: {error}") from None
    if missing := {ID, GRADE, MODIFIED} - {*headings}:
        raise TermError(
            f"The worksheet {path} has no column {', '.join(sorted(missing))}. Download it with "
            "Moodle set to English."
        )
    by_number = {moodle_id(total): total for total in totals}
    by_id = {book.ids.get(total.learner, ""): total for total in totals if not moodle_id(total)}
    by_name = {book.person(total.learner).name.casefold(): total for total in totals}
    for row in rows:
        total = (
            by_number.get("".join(re.findall(r"\d+$", row[ID])) or "-")
            or by_id.get(row.get(ID_NUMBER) or "-")
            or by_name.get(row.get(NAME, "").casefold())
        )
        if total and total.is_handed_in:
            _check_points(row, total.item, path)
            row.update({key: text for key, text in _mark(total).items() if key in headings})
    return _csv(headings, rows)


def _check_points(row: Row, item: GradeItem, path: Path) -> None:
    """Refuse marks of 6 points for an assignment of 100."""
    most = next((row[heading] for heading in MOST if row.get(heading)), "")
    if most and float(most.replace(",", ".")) != item.points:
        raise TermError(
            f"{path} says that the assignment has {most} points, and {item.title} has "
            f"{item.points}. Give the assignment {item.points} points in Moodle, or write in the "
            f"term's file what it is worth: [assignments.{item.name}] points = {most}"
        )


def _mark(total: Total) -> Row:
    """An empty grade leaves what Moodle has, so no doubt becomes a 0."""
    mark = "" if total.mark is None else str(total.mark)
    words = [] if total.item.is_exercise else [f"{total.item.title}: {total}"]
    for result in total.results:
        words += [] if total.item.is_exercise else [f"\n{alone(result).item.title}: {result}"]
        words += _words(result)
    return {GRADE: mark, COMMENTS: str(safe("\n".join(words)))}


def _words(result: Result) -> Iterator[str]:
    why = result.explanation
    lost = [line for line in scored_lines(result) if not line.passed and line.message != why]
    yield from [why, *(f"- {line.name}: {line.message}" for line in lost)]
    yield from filter(None, [result.arithmetic])


def _csv(headings: list[str], rows: list[Row]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, headings)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
