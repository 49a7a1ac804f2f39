"""Bars for a picture in a page: where each part lies, and what the key names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LABEL, BAR, NOTE, ROW, THICKNESS = 190, 560, 90, 30, 18


@dataclass(frozen=True)
class Part:
    """A piece of a bar: how many, which kind, and the kind's name."""

    size: int
    look: str
    word: str


@dataclass(frozen=True)
class Bar:
    """A row of a picture: what stands before it, its parts, and what stands behind it."""

    label: str
    parts: tuple[Part, ...]
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
