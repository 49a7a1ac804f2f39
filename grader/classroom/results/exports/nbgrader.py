"""The CSV that nbgrader itself exports: a row an assignment and learner."""

from __future__ import annotations

from collections.abc import Sequence

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
    rows = [_row(result) for rubric in book.exercises for result in book.of_exercise(rubric)]
    return to_csv([COLUMNS, *rows])


def _row(result: Result) -> Sequence[Cell]:
    """Nothing handed in is 0.0 without a time, as nbgrader has it; what is no mark has no score."""
    score: Cell = "" if result.mark is None else float(result.mark)
    return (
        result.rubric.stem,
        "",
        result.entry.handed_in if result.entry else "",
        result.learner,
        "",
        "",
        "",
        score,
        0.0,  # whether to take points for being late is the teacher's business
        score,
        float(result.max_score),
    )
