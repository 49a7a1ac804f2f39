"""The static form of a picture, line by line: what its HTML shows, and the text itself.

A device and a registration are told by a word, a line and a colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.learning.notebook.device_map.picture import Branch, Leaf, Picture, Row

MOST_LINES = 80
MOST_NAMED = 3


@dataclass(frozen=True)
class MapRow:
    """One row, and the lines of the tree in front of it."""

    rails: str
    row: Row


@dataclass(frozen=True)
class Static:
    """What is shown without a widget.

    Attributes:
        omitted: what is not shown, in words; `""` if all is.
    """

    heading: str
    lines: tuple[MapRow, ...]
    omitted: str


def static(picture: Picture, most: int = MOST_LINES) -> Static:
    """A picture within `most` lines: deep branches are folded first, then the rest cut off."""
    below = picture.rows[1:]
    depth = max((row.level for row in below), default=0)
    rows = below
    while len(rows) > most and depth > 1:
        depth -= 1
        rows = tuple(row for row in below if row.level <= depth)
    shown = rows[:most]
    cut = len(rows) - len(shown)
    return Static(heading(picture), tuple(_with_rails(shown)), _omitted(picture, shown, cut))


def heading(picture: Picture) -> str:
    """`Classifier: 8 tensors, 7 on cuda:0 and 1 on cpu`."""
    return f"{picture.root.type}: {summary(picture.root)}"


def summary(branch: Branch) -> str:
    """How many tensors are below it, and where."""
    total = sum(number for _, number in branch.devices)
    if not total:
        return "no tensors"
    if len(branch.devices) == 1:
        where = f" on {branch.devices[0][0]}"
    else:
        where = ", " + joined_names(
            [f"{number:,} on {device}" for device, number in branch.devices]
        )
    unregistered = f", {branch.unregistered:,} not registered" if branch.unregistered else ""
    return f"{total:,} tensor{'' if total == 1 else 's'}{where}{unregistered}"


def joined_names(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def first_few(names: Iterable[str]) -> str:
    """`a, b, c and 2 more`."""
    listed = list(names)
    more = len(listed) - MOST_NAMED
    return joined_names([*listed[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])])


def _with_rails(rows: Sequence[Row]) -> Iterable[MapRow]:
    """Each row after the lines that lead to it, like those of `tree`."""
    last = _are_last(rows)
    open_levels: dict[int, bool] = {}
    for row, is_last in zip(rows, last, strict=True):
        rails = "".join("│  " if open_levels.get(k) else "   " for k in range(1, row.level))
        corner, dash = ("└" if is_last else "├"), ("─" if row.registered else "╌")
        open_levels[row.level] = not is_last
        yield MapRow(f"{rails}{corner}{dash} ", row)


def _are_last(rows: Sequence[Row]) -> list[bool]:
    """For each row, whether none on its level follows below the same branch."""
    last, followed = [], set[int]()
    for row in reversed(rows):
        last.append(row.level not in followed)
        followed = {level for level in followed if level < row.level} | {row.level}
    return last[::-1]


def _omitted(picture: Picture, shown: Sequence[Row], cut: int) -> str:
    """What of a picture is not among the rows shown."""
    paths = {row.path for row in shown}
    devices = Counter(leaf.device for leaf in picture.leaves if leaf.path not in paths)
    sentences = []
    if devices:
        where = joined_names(
            [f"{number:,} on {device}" for device, number in sorted(devices.items())]
        )
        sentences.append(f"Not listed one by one, to save room: {where}.")
    if cut:
        sentences.append(f"The last {cut:,} rows are left out.")
    sentences += [f"Not looked into: {path}." for path in picture.given_up]
    return " ".join(sentences)


def mark(leaf: Leaf) -> str:
    """Its sign; a question mark in a concealed picture, which says of no tensor what it is."""
    return sign(leaf.registered) if leaf.kind else "?"


def described(leaf: Leaf) -> str:
    """What it is to its module, in words."""
    words = leaf.kind if leaf.registered else f"{leaf.kind}, not registered"
    return f"{words}; {leaf.note}" if leaf.note else words


REGISTERED, STRAY = "●", "○"
DEVICES = ("cuda:0", "cuda:1", "cpu")  # where the buttons move a copy
LINES = {"cpu": "dotted", "cuda:0": "solid", "cuda:1": "double"}
LEGEND = (
    f"{REGISTERED} registered: a move of the module takes it along    "
    f"{STRAY} not registered: a move leaves it behind"
)


def line(device: str) -> str:
    return LINES.get(device, "dashed")


def look(device: str) -> str:
    """The class that colours it: `cpu`, `cuda-0`, `cuda-1` or `other`."""
    return device.replace(":", "-") if device in LINES else "other"


def sign(registered: bool) -> str:
    """A full dot for what is registered, an empty one for what is not."""
    return REGISTERED if registered else STRAY


def to_text(picture: Picture, below: str = LEGEND) -> str:
    """The map as text, for a terminal, GitHub, print, a comparison; its last line is `below`."""
    form = static(picture)
    rows = [_cells(line) for line in form.lines]
    leaves = [cells for cells in rows if len(cells) > 1]
    widths = [max(map(len, column)) for column in zip(*leaves, strict=True)] or [0]
    lines = ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in rows]
    return "\n".join([form.heading, *lines, *filter(None, [form.omitted]), below])


def _cells(line: MapRow) -> tuple[str, ...]:
    """What stands in each column; a module has one alone."""
    row = line.row
    if isinstance(row, Branch):
        registration = "" if row.registered else "not registered, "
        words = row.note or summary(row)
        return (f"{line.rails}{row.name}: {row.type}, {registration}{words}",)
    name = f"{line.rails}{mark(row)} {row.name}"
    return name, row.device, row.shape, row.dtype, described(row)
