"""What the class's page counts: the four ways an exercise can have gone, and the mistakes made."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from grader.classroom.results.gradebook import Gradebook, Result
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


@dataclass(frozen=True)
class Bar:
    """A row of a picture, with what stands before and behind it."""

    label: str
    parts: tuple[tuple[int, Outcome], ...]
    note: str

    @property
    def size(self) -> int:
        return sum(size for size, _ in self.parts)


def outcome(result: Result) -> Outcome:
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


@dataclass(frozen=True)
class Mistake:
    """One finding's code.

    Attributes:
        learners: who made it, each once.
        exercises: the numbers of those it was made in, in the order of the course.
    """

    code: str
    learners: tuple[str, ...]
    exercises: tuple[str, ...]


def mistakes(book: Gradebook) -> tuple[Mistake, ...]:
    """What the learners were told as an error, the most frequent first.

    An untouched starter is nobody's mistake, so what it was told does not count.
    """
    learners: dict[str, set[str]] = defaultdict(set)
    exercises: dict[str, set[str]] = defaultdict(set)
    for (learner, exercise), entry in book.counted.items():
        if entry.report.verdict == "not_attempted":
            continue
        for finding in entry.report.findings:
            if finding.severity == "error":
                learners[finding.code].add(learner)
                exercises[finding.code].add(exercise)
    found = [
        Mistake(code, tuple(sorted(learners[code])), tuple(sorted(exercises[code])))
        for code in learners
    ]
    return tuple(sorted(found, key=lambda mistake: (-len(mistake.learners), mistake.code)))
