"""The picture of a module's registers, who reads which, and of what stands outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.course.figures.drawing import GPU, arrow, box, canvas, label, room, show_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REGISTERS = {"_parameters": "parameters", "_buffers": "buffers", "_modules": "child modules"}
UNSAVED, OUTSIDE = "not saved", "ordinary attributes"
READERS = {
    ".cuda()": ("parameters", "buffers", "child modules", UNSAVED),
    "state_dict()": ("parameters", "buffers", "child modules"),
    "parameters()": ("parameters", "child modules"),
}
FIRST_BOX, A_LETTER, GAP = 1.6, 0.081, 0.14  # in inches, as all that is drawn here
WIDTH, ROW = 7.6, 0.52
FIRST_READER, A_READER = 4.75, 1.0


class DrawnValue(NamedTuple):
    """What a register or an attribute holds: its text, and the style of its box."""

    text: str
    style: str


def registers(module: Any) -> None:
    """What a module has registered, what it has not, and who reads which register.

    Args:
        module: an `nn.Module`, or an object with the same three registers.
    """
    rows = dict(_rows(module))
    height = len(rows) * ROW
    axes = canvas(WIDTH, height + 0.8 * ROW, x=(0, WIDTH), y=(height + 0.1 * ROW, -0.7 * ROW))
    label(axes, 0.1, -0.45 * ROW, "filled: on the GPU, hatched: on the CPU", ha="left", size=8.5)
    heights = {name: (row + 0.25) * ROW for row, name in enumerate(rows)}
    for name, entries in rows.items():
        y = heights[name]
        width = WIDTH if name == OUTSIDE else FIRST_READER - 0.1
        room(axes, 0, y - 0.44 * ROW, width, 0.88 * ROW, "")
        label(axes, 0.1, y, name, ha="left", weight="bold")
        _draw_entries(axes, y, entries)
    for column, (reader, read) in enumerate(READERS.items()):
        ends = [heights[name] for name in read if name in heights]
        _draw_reader(axes, FIRST_READER + (column + 0.4) * A_READER, reader, ends)
    show_figure(axes, _said(type(module).__name__, rows))


def _rows(module: Any) -> Iterator[tuple[str, list[DrawnValue]]]:
    own = vars(module)
    unsaved = own.get("_non_persistent_buffers_set", ())
    for register, name in REGISTERS.items():
        yield name, [_entry(key, v) for key, v in own[register].items() if key not in unsaved]
    if unsaved:
        yield UNSAVED, [_entry(key, own["_buffers"][key]) for key in sorted(unsaved)]
    yield OUTSIDE, [_entry(key, v, is_outside=True) for key, v in own.items() if _counts(key)]


def _counts(name: str) -> bool:
    """Whether an attribute is the author's, and not one that every module has."""
    return not name.startswith("_") and name != "training"


def _entry(name: str, value: Any, is_outside: bool = False) -> DrawnValue:
    devices = {tensor.device.type for tensor in _tensors(value)}
    style = devices.pop() if len(devices) == 1 else "empty"
    if not is_outside or hasattr(value, "device"):
        return DrawnValue(f"{name} = None" if value is None else name, style)
    holds = type(value).__name__ if isinstance(value, list | tuple | dict) else value
    return DrawnValue(f"{name}: {holds}" if holds is not value else f"{name} = {value}", style)


def _tensors(value: Any) -> Iterator[Any]:
    """The tensors that a value is, holds or has registered."""
    if hasattr(value, "device") and hasattr(value, "dtype"):
        yield value
    elif isinstance(value, dict):
        yield from _all_tensors(value.values())
    elif isinstance(value, list | tuple):
        yield from _all_tensors(value)
    elif hasattr(value, "_parameters"):
        yield from _all_tensors(vars(value).values())


def _all_tensors(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from _tensors(value)


def _draw_entries(axes: Axes, y: float, entries: list[DrawnValue]) -> None:
    left = FIRST_BOX
    for entry in entries or [DrawnValue("none", "")]:
        width = A_LETTER * len(entry.text) + GAP
        is_filled = entry.style in ("cuda", "cpu")
        if entry.style:
            text = entry.text if is_filled else ""
            box(axes, left + width / 2, y, text, entry.style, width, 0.6 * ROW)
        if not is_filled:
            label(axes, left + width / 2, y, entry.text)
        left += width + GAP


def _draw_reader(axes: Axes, x: float, reader: str, heights: list[float]) -> None:
    """A call, and an arrow through the registers that it reads, with a dot in each."""
    label(axes, x, -0.45 * ROW, reader, family="monospace", size=8.5)
    arrow(axes, (x, -0.25 * ROW), (x, heights[-1] + 0.36 * ROW))
    axes.plot([x] * len(heights), heights, "o", color=GPU, zorder=3)


def _said(kind: str, rows: dict[str, list[DrawnValue]]) -> str:
    listed = [
        f"{name}: {', '.join(map(_in_words, entries)) or 'none'}" for name, entries in rows.items()
    ]
    readers = [
        f"`{reader}` reads {', '.join(name for name in read if name in rows)}"
        for reader, read in READERS.items()
    ]
    return (
        f"The registers of {kind}, and what is in none. {'; '.join(listed)}. {'; '.join(readers)}. "
        "None of them reads the ordinary attributes."
    )


def _in_words(entry: DrawnValue) -> str:
    return entry.text + {"cuda": " on the GPU", "cpu": " on the CPU"}.get(entry.style, "")
