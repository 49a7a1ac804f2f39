"""Bars for a picture in a page: where each part lies, and what the key names.

The parts are the four ways an exercise can have gone, each with its sign, word and colour; or the
mistakes that a class made, each with who met it and where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.classroom.results.gradebook import Gradebook, Result
from grader.render import HEADLINES

LABEL, BAR, NOTE, ROW, THICKNESS = 190, 560, 90, 30, 18


@dataclass(frozen=True)
class Segment:
    """A piece of a bar: how many, which kind, and the kind's name."""

    size: int
    look: str
    word: str


@dataclass(frozen=True)
class Bar:
    """A row of a picture: what stands before it, its parts, and what stands behind it."""

    label: str
    parts: tuple[Segment, ...]
    note: str


@dataclass(frozen=True)
class Placed:
    """A part, or a kind in the key, in pixels."""

    x: float
    look: str
    word: str
    size: int = 0
    width: float = 0


@dataclass(frozen=True)
class Row:
    """A bar with its parts placed, in pixels."""

    label: str
    note: str
    top: int
    baseline: float
    parts: tuple[Placed, ...]
    end: float


@dataclass(frozen=True)
class Chart:
    """A picture of bars.

    Attributes:
        title: what the picture says, for who cannot see it.
        key: the kinds of parts, if there are several.
    """

    title: str
    rows: tuple[Row, ...]
    key: tuple[Placed, ...]
    height: int
    width: int = LABEL + BAR + NOTE
    label_end: int = LABEL - 10
    thickness: int = THICKNESS


def chart(bars: Sequence[Bar], title: str) -> Chart:
    """The bars placed in a picture; all are drawn to one scale."""
    longest = max((sum(part.size for part in bar.parts) for bar in bars), default=0) or 1
    kinds = {part.word: part.look for bar in bars for part in bar.parts if part.size}
    key = tuple(_key(kinds)) if len(kinds) > 1 else ()
    top = ROW if key else 0
    rows = tuple(_row(bar, top + ROW * i, BAR / longest) for i, bar in enumerate(bars))
    return Chart(title, rows, key, top + ROW * len(rows))


def _key(kinds: dict[str, str]) -> Iterator[Placed]:
    x = float(LABEL)
    for word, look in kinds.items():
        yield Placed(x, look, word)
        x += 50 + 7 * len(word)


def _row(bar: Bar, top: int, scale: float) -> Row:
    parts, x = [], float(LABEL)
    for part in bar.parts:
        if part.size:
            width = round(max(part.size * scale - 1.5, 1), 1)
            parts.append(Placed(round(x, 1), part.look, part.word, part.size, width))
            x += part.size * scale
    return Row(bar.label, bar.note, top, top + THICKNESS / 2 + 5, tuple(parts), round(x + 6, 1))


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
