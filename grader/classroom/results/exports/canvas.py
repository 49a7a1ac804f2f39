"""Marks for Canvas's gradebook: a row a learner, a column an assignment."""

from __future__ import annotations

from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import Gradebook, Result
from grader.schema import Rubric

# Canvas finds a learner by its own number, and where there is none by the login.
COLUMNS = ("Student", "ID", "SIS Login ID", "Section")


def canvas_csv(book: Gradebook) -> str:
    """The whole file. An empty cell leaves what Canvas has, so no doubt becomes a 0."""
    titles = [_title(book, rubric) for rubric in book.exercises]
    possible = [sum(rubric.points.values()) for rubric in book.exercises]
    return to_csv(
        [
            [*COLUMNS, *titles],
            ["    Points Possible", "", "", "", *possible],
            *(_row(book, learner) for learner in book.learners),
        ]
    )


def _title(book: Gradebook, rubric: Rubric) -> str:
    """An assignment's name; Canvas finds one that exists by the number in brackets at its end."""
    title = f"{rubric.number} {rubric.title}"
    assignment = book.term.assignments.get(rubric.number)
    return f"{title} ({assignment.canvas})" if assignment and assignment.canvas else title


def _row(book: Gradebook, learner: str) -> list[Cell]:
    marks = [_cell(result) for result in book.of_learner(learner)]
    return [learner, book.ids.get(learner, ""), learner, book.person(learner).section, *marks]


def _cell(result: Result) -> Cell:
    return "" if result.entry is None or result.mark is None else result.mark
