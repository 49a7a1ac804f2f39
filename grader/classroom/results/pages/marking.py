"""The page on which a person marks: answers with their flags, and a form that makes `marks.csv`."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from grader.classroom.results.gradebook import Gradebook
from grader.classroom.results.pages.classroom import page_of
from grader.classroom.results.pages.document import answer, page

SCRIPT = files(__package__).joinpath("templates/marking.js").read_text(encoding="utf-8")


def marking_page(book: Gradebook) -> str:
    """What needs a person first. Its script alone may run, whatever an answer's text holds."""
    results = [result for result in book.results() if result.entry]
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return page(
        "marking.html",
        results=sorted(results, key=lambda result: not result.needs_a_person),
        lines=answer,
        page_of=page_of,
        script=SCRIPT,
        scripts=f"'sha256-{digest}'",
        folder=book.folder,
    )
