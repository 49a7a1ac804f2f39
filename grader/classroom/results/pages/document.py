"""What every page shares: one self-contained file, for a screen or for paper, light or dark."""

from __future__ import annotations

from typing import Any, NamedTuple

from grader.classroom.intake.submission import answer_lines
from grader.classroom.results.gradebook import Result
from grader.render import HEADLINES, STYLE, render_template


class Sign(NamedTuple):
    """One of four ways an exercise can have gone; `look` is its colour in the pages' style."""

    word: str
    sign: str
    look: str


PASSED = Sign("passed", "✓", "good")
NOT_YET = Sign("not yet", "✗", "bad")
LOOK = Sign("a person should look", "!", "doubt")
MISSING = Sign("not handed in", "-", "quiet")
OUTCOMES = (PASSED, NOT_YET, LOOK, MISSING)


def outcome(result: Result) -> Sign:
    if result.entry is None:
        return MISSING
    if result.is_unsettled:
        return LOOK
    is_full = result.score == result.max_score if result.marked else result.verdict == "passed"
    return PASSED if is_full else NOT_YET


def verdict_words(result: Result) -> str:
    """The verdict in words, and whether it came late."""
    words = HEADLINES[result.entry.report.verdict].lower() if result.entry else outcome(result).word
    notes = [*["late"] * result.is_late, *["marked by a person"] * bool(result.marked)]
    return f"{words} ({', '.join(notes)})" if notes else words


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
