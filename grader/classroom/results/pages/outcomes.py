"""The four ways an exercise can have gone, each with its sign, word and colour."""

from __future__ import annotations

from dataclasses import dataclass

from grader.classroom.results.gradebook import Result
from grader.render import HEADLINES


@dataclass(frozen=True)
class Outcome:
    """One of them.

    Attributes:
        look: the name of its colour in the pages' style.
    """

    word: str
    sign: str
    look: str


PASSED = Outcome("passed", "✓", "good")
NOT_YET = Outcome("not yet", "✗", "bad")
LOOK = Outcome("a person should look", "!", "doubt")
MISSING = Outcome("not handed in", "-", "quiet")
OUTCOMES = (PASSED, NOT_YET, LOOK, MISSING)


def outcome(result: Result) -> Outcome:
    """How it went."""
    if result.entry is None:
        return MISSING
    if result.is_unsettled:
        return LOOK
    if result.marked:
        return PASSED if result.score == result.max_score else NOT_YET
    return PASSED if result.verdict == "passed" else NOT_YET


def verdict_words(result: Result) -> str:
    """The verdict in words, and whether it came late."""
    words = HEADLINES[result.entry.report.verdict].lower() if result.entry else outcome(result).word
    notes = [*["late"] * result.is_late, *["marked by a person"] * bool(result.marked)]
    return f"{words} ({', '.join(notes)})" if notes else words
