"""A class's results as pages: one for the class, one to mark on, one for each learner."""

from __future__ import annotations

from collections.abc import Iterator

from grader.classroom.results.gradebook import Gradebook
from grader.classroom.results.pages.classroom import class_page, page_of
from grader.classroom.results.pages.learner import feedback_page
from grader.classroom.results.pages.marking import marking_page


def page_files(book: Gradebook) -> Iterator[tuple[str, str]]:
    """Each page, and the file it belongs in."""
    yield "index.html", class_page(book)
    yield "marking.html", marking_page(book)
    for learner in book.learners:
        yield page_of(learner), feedback_page(book.totals(learner))
