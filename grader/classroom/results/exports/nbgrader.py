"""The CSV that nbgrader itself exports: a row an assignment and learner."""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom.results.enrolled import Enrolled
from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import Gradebook, Result

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def nbgrader_csv(book: Gradebook) -> str:
    """The whole file, in nbgrader's order: assignment by assignment."""
    rows = [
        _row(result, book.person(result.learner))
        for rubric in book.exercises
        for result in book.of_exercise(rubric)
    ]
    return to_csv([COLUMNS, *rows])


def _row(result: Result, person: Enrolled) -> Sequence[Cell]:
    """Nothing handed in is 0.0 without a time, as nbgrader has it; what is no mark has no score."""
    raw: Cell = "" if result.mark is None else float(result.score)
    mark: Cell = "" if result.mark is None else float(result.mark)
    penalty = 0.0 if result.mark is None else round(result.score - result.mark, 2)
    return (
        result.rubric.stem,
        result.terms.due.isoformat() if result.terms.due else "",
        result.entry.handed_in if result.entry else "",
        result.learner,
        "",
        "",
        person.email,
        raw,
        float(penalty),
        mark,
        float(result.max_score),
    )
