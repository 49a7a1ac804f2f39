"""What every page shares: one self-contained file, for a screen or for paper, light or dark."""

from __future__ import annotations

from typing import Any

from grader.classroom.intake.submission import answer_lines
from grader.classroom.results.gradebook import Result
from grader.classroom.results.pages.charts import outcome, verdict_words
from grader.render import STYLE, render_template


def page(template: str, **values: Any) -> str:
    """A whole page of a class, from a template."""
    shared = {"report_style": STYLE, "outcome": outcome, "verdict_words": verdict_words}
    return str(render_template("grader.classroom.results.pages", template, **shared, **values))


def answer(result: Result) -> list[tuple[str, list[str]]]:
    """The lines that were handed in, each with what persons say of it; none if nobody has them."""
    if result.stored is None or result.entry is None or not result.stored.exists():
        return []
    lines = answer_lines(result.stored, result.entry.file)
    return [
        (line, [comment.text for comment in result.comments if comment.line == number])
        for number, line in enumerate(lines, start=1)
    ]
