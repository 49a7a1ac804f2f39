"""The device map as text: for a terminal, for GitHub, for print, for a comparison."""

from __future__ import annotations

from grader.learning.notebook.device_map.lines import (
    LEGEND,
    MapRow,
    described,
    mark,
    static,
    summary,
)
from grader.learning.notebook.device_map.picture import Branch, Leaf, Picture


def to_text(picture: Picture, below: str = LEGEND) -> str:
    """The map as lines of text, the last of which is `below`."""
    form = static(picture)
    widths = _Widths(form.lines)
    lines = [form.heading, *(_line(line, widths) for line in form.lines)]
    if form.omitted:
        lines.append(form.omitted)
    return "\n".join([*lines, below])


class _Widths:
    """How wide each column is."""

    def __init__(self, lines: tuple[MapRow, ...]) -> None:
        leaves = [line.row for line in lines if isinstance(line.row, Leaf)]
        named = [line for line in lines if isinstance(line.row, Leaf)]
        self.name = max((len(line.rails) + len(line.row.name) + 2 for line in named), default=0)
        self.device = max((len(leaf.device) for leaf in leaves), default=0)
        self.shape = max((len(leaf.shape) for leaf in leaves), default=0)
        self.dtype = max((len(leaf.dtype) for leaf in leaves), default=0)


def _line(line: MapRow, widths: _Widths) -> str:
    row = line.row
    if isinstance(row, Branch):
        return line.rails + _branch(row)
    name = f"{line.rails}{mark(row)} {row.name}"
    return "  ".join(
        (
            name.ljust(widths.name),
            row.device.ljust(widths.device),
            row.shape.ljust(widths.shape),
            row.dtype.ljust(widths.dtype),
            described(row),
        )
    ).rstrip()


def _branch(branch: Branch) -> str:
    words = branch.note or summary(branch)
    registration = "" if branch.registered else "not registered, "
    return f"{branch.name}: {branch.type}, {registration}{words}"
