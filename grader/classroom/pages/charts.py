"""Bars as SVG: each part has a pattern and a number as well as a colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.render.html import text

LABEL, BAR, NOTE, ROW, THICK = 190, 560, 90, 30, 18
# What is drawn over a bar's colour, so that its kind can be told without the colour.
_PATTERNS = {
    "good": "",
    "bad": '<path d="M0 8 8 0" stroke="var(--ground)" stroke-width="1.5"/>',
    "doubt": '<circle cx="4" cy="4" r="1.6" fill="var(--ground)"/>',
    "quiet": '<path d="M0 4H8" stroke="var(--ground)" stroke-width="4"/>',
}


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


def bars(rows: Sequence[Bar], title: str) -> str:
    """A bar a row; all are drawn to one scale.

    Args:
        rows: the bars.
        title: what the picture says, for who cannot see it.
    """
    longest = max((sum(part.size for part in row.parts) for row in rows), default=0) or 1
    kinds = _kinds(rows)
    top = ROW if len(kinds) > 1 else 0
    height = top + ROW * len(rows)
    return "\n".join(
        [
            f'<svg role="img" viewBox="0 0 {LABEL + BAR + NOTE} {height}" '
            f'width="{LABEL + BAR + NOTE}" height="{height}" aria-label="{text(title)}">',
            f"<defs>{''.join(_pattern(look) for look in _PATTERNS)}</defs>",
            *(_key(kinds) if len(kinds) > 1 else []),
            *(_row(row, top + ROW * place, BAR / longest) for place, row in enumerate(rows)),
            "</svg>",
        ]
    )


def _pattern(look: str) -> str:
    return (
        f'<pattern id="{look}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<rect width="8" height="8" fill="var(--{look})"/>{_PATTERNS[look]}</pattern>'
    )


def _kinds(rows: Sequence[Bar]) -> dict[str, str]:
    return {part.word: part.look for row in rows for part in row.parts if part.size}


def _key(kinds: dict[str, str]) -> list[str]:
    pieces, x = [], float(LABEL)
    for word, look in kinds.items():
        pieces.append(f'<rect x="{x}" y="4" width="14" height="14" fill="url(#{look})"/>')
        pieces.append(f'<text x="{x + 20}" y="16">{text(word)}</text>')
        x += 50 + 7 * len(word)
    return pieces


def _row(row: Bar, y: int, scale: float) -> str:
    middle = y + THICK / 2 + 5
    pieces = [f'<text x="{LABEL - 10}" y="{middle}" text-anchor="end">{text(row.label)}</text>']
    x = float(LABEL)
    for part in row.parts:
        if not part.size:
            continue
        width = part.size * scale
        pieces.append(
            f'<rect x="{x:.1f}" y="{y}" width="{max(width - 1.5, 1):.1f}" height="{THICK}" '
            f'fill="url(#{part.look})"><title>{part.size} {text(part.word)}</title></rect>'
        )
        x += width
    pieces.append(f'<text x="{x + 6:.1f}" y="{middle}">{text(row.note)}</text>')
    return "".join(pieces)
