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
from grader.classroom.results.gradebook import Gradebook, Result
from grader.classroom.results.term import TermError
from grader.schema import Rubric

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
    """For each exercise: the worksheet that the term names, else one of those who handed in.

    Raises:
        NoPlaceError: there is no worksheet, and nothing came from Moodle.
        TermError: a worksheet is none, or is about another number of points.
    """
    is_empty = True
    for rubric in book.exercises:
        results = book.of_exercise(rubric)
        assignment = book.term.assignments.get(rubric.number)
        if assignment and assignment.worksheet:
            text = _fill_worksheet(Path(assignment.worksheet), book, results)
        else:
            text = _new_worksheet(results)
        if text:
            is_empty = False
            yield f"{rubric.stem}.csv", text
    if is_empty:
        raise NoPlaceError(
            "Nothing here was graded from the zip of Moodle's *Download all submissions*. Or name "
            'its worksheet in the term\'s file: worksheet = "Grades.csv".'
        )


def _new_worksheet(results: tuple[Result, ...]) -> str:
    """A worksheet of those whose numbers are known; `""` of none."""
    rows = [
        {ID: f"Participant {number}", NAME: result.learner, MODIFIED: "-", **_mark(result)}
        for result in results
        if (number := moodle_id(result))
    ]
    return _csv([ID, NAME, GRADE, MODIFIED, COMMENTS], rows) if rows else ""


def _fill_worksheet(path: Path, book: Gradebook, results: tuple[Result, ...]) -> str:
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
    by_number = {moodle_id(result): result for result in results}
    by_id = {
        book.ids.get(result.learner, ""): result for result in results if not moodle_id(result)
    }
    by_name = {book.person(result.learner).name.casefold(): result for result in results}
    for row in rows:
        result = (
            by_number.get("".join(re.findall(r"\d+$", row[ID])) or "-")
            or by_id.get(row.get(ID_NUMBER) or "-")
            or by_name.get(row.get(NAME, "").casefold())
        )
        if result and result.entry:
            _check_points(row, result.rubric, path)
            row.update({key: text for key, text in _mark(result).items() if key in headings})
    return _csv(headings, rows)


def _check_points(row: Row, rubric: Rubric, path: Path) -> None:
    """Refuse marks of 6 points for an assignment of 100."""
    most = next((row[heading] for heading in MOST if row.get(heading)), "")
    points = sum(rubric.points.values())
    if most and float(most.replace(",", ".")) != points:
        raise TermError(
            f"{path} says that the assignment has {most} points, and exercise {rubric.number} has "
            f"{points}. Give the assignment {points} points in Moodle."
        )


def _mark(result: Result) -> Row:
    """An empty grade leaves what Moodle has, so no doubt becomes a 0."""
    lost = [f"- {line.name}: {line.message}" for line in scored_lines(result) if not line.passed]
    words = [result.explanation, *lost, result.arithmetic]
    mark = "" if result.mark is None else str(result.mark)
    return {GRADE: mark, COMMENTS: str(safe("\n".join(filter(None, dict.fromkeys(words)))))}


def _csv(headings: list[str], rows: list[Row]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, headings)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
