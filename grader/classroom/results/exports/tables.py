"""Rows as CSV that a spreadsheet opens safely."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from grader.render import visible

Cell = str | int | float
# A spreadsheet runs a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(rows: Iterable[Sequence[Cell]]) -> str:
    """The rows, quoted where they must be; lines end in CR LF, as RFC 4180 has it."""
    stream = io.StringIO()
    csv.writer(stream).writerows([safe(cell) for cell in row] for row in rows)
    return stream.getvalue()


def safe(cell: Cell) -> Cell:
    """Text that begins like a formula gets an apostrophe, which a spreadsheet takes for text."""
    if not isinstance(cell, str):
        return cell
    return visible(f"'{cell}" if cell.startswith(_FORMULA) else cell)
