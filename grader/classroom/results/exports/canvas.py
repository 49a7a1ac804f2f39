"""Marks for Canvas's gradebook: a row a learner, a column an assignment."""

from __future__ import annotations

from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import Gradebook, GradeItem

# Canvas finds a learner by its own number, and where there is none by the login.
COLUMNS = ("Student", "ID", "SIS Login ID", "Section")


def canvas_csv(book: Gradebook) -> str:
    """The whole file. An empty cell leaves what Canvas has, so no doubt becomes a 0."""
    return to_csv(
        [
            [*COLUMNS, *map(_title, book.items)],
            ["    Points Possible", "", "", "", *(item.points for item in book.items)],
            *(_row(book, learner) for learner in book.learners),
        ]
    )


def _title(item: GradeItem) -> str:
    """An assignment's name; Canvas finds one that exists by the number in brackets at its end."""
    return f"{item.title} ({item.rules.canvas})" if item.rules.canvas else item.title


def _row(book: Gradebook, learner: str) -> list[Cell]:
    marks = ("" if total.mark is None else total.mark for total in book.totals(learner))
    return [learner, book.ids.get(learner, ""), learner, book.person(learner).section, *marks]
