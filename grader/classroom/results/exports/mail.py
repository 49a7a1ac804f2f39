"""A row a learner for a mail merge: the address, the marks, and why."""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom.results.exports.tables import Cell, to_csv
from grader.classroom.results.gradebook import Gradebook, Result, total
from grader.classroom.results.pages.classroom import page_of

COLUMNS = ("name", "email", "id", "section", "group", "points", "max_points", "results", "page")


def mail_csv(book: Gradebook) -> str:
    """The whole file. `page` is the learner's in the form `html`, to attach."""
    return to_csv([COLUMNS, *(_row(book, learner) for learner in book.learners)])


def _row(book: Gradebook, learner: str) -> Sequence[Cell]:
    person, results = book.person(learner), book.of_learner(learner)
    return (
        person.name,
        person.email,
        book.ids.get(learner, ""),
        person.section,
        person.group,
        total(results),
        sum(result.max_score for result in results),
        "\n".join(map(_mail_text, results)),
        page_of(learner),
    )


def _mail_text(result: Result) -> str:
    points = "no mark" if result.mark is None else f"{result.mark} of {result.max_score} points"
    why = result.arithmetic or result.explanation.splitlines()[0]
    said = "".join(f"\n  {comment}" for comment in result.comments)
    return f"{result.rubric.number} {result.rubric.title}: {points}. {why}{said}"
