"""Hold one recording to another, entry by entry and fact by fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .isolation import CRASHED

Kind = Literal[
    "equal", "other text", "other type", "other device", "only CUDA raises", "only ours raises"
]
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Entry:
    """One call, or one fact: the outcome recorded on CUDA, and that of the simulated device."""

    key: str
    cuda: Any
    ours: Any

    @property
    def kind(self) -> Kind:
        if self.cuda == self.ours:
            return "equal"
        theirs, mine = error(self.cuda), error(self.ours)
        if theirs and mine:
            return "other text" if theirs == mine else "other type"
        if theirs or mine:
            return "only CUDA raises" if theirs else "only ours raises"
        both = str(self.cuda), str(self.ours)
        return "other device" if all(text.startswith("ok (") for text in both) else "other text"

    @property
    def name(self) -> str:
        """The operator, module or situation."""
        kind, name = self.key.split("/")[:2]
        return name if kind in ("op", "module") else f"{kind}/{name}"

    @property
    def way(self) -> str:
        """How the devices were mixed, without the number of the tensor; or the theme."""
        kind, *_, way = self.key.split("/")
        if kind not in ("op", "module"):
            return kind
        if "inplace" in way:
            return "in place"
        return way.split(" ", 1)[1] if way[0].isdigit() else way


def error(value: Any) -> str:
    """The type of the exception that an outcome names, or nothing."""
    first = value.split(":")[0] if isinstance(value, str) and ":" in value else ""
    fits = first.isidentifier() and first.endswith(("Error", "Exception", "Warning", "Exit"))
    return first if fits or first == CRASHED else ""


def listed(cuda: dict[str, str], ours: dict[str, str]) -> tuple[list[Entry], Counter[str]]:
    """Entries that can be compared, and how many cannot be, by reason.

    If the control of a sample raises on CUDA (everything on one device), the sample says nothing
    about devices. A control that raises on the simulated device alone is compared: it is a fault.
    """
    left_out: Counter[str] = Counter()
    entries = []
    for key, text in cuda.items():
        control = f"{key.rsplit('/', 1)[0]}/control"
        if error(cuda.get(control, "")):
            left_out["raises on CUDA without mixing"] += key != control
        elif key not in ours:
            left_out["not among this PyTorch's operators and samples"] += 1
        elif error(text) == CRASHED:
            left_out["crashed where it was recorded"] += 1
        elif key != control or error(ours[key]):
            entries.append(Entry(key, text, ours[key]))
    return entries, left_out


def situated(cuda: dict[str, Any], ours: dict[str, Any]) -> list[Entry]:
    """Every fact of every situation that both have; lists and mappings item by item."""
    return [
        Entry(f"{name}{fact}", theirs, mine)
        for name in cuda
        if name in ours
        for fact, theirs, mine in _facts(cuda[name], ours[name])
    ]


def _facts(cuda: Any, ours: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each fact of a mapping; a fact that one side lacks is compared with None."""
    if isinstance(cuda, dict):
        mine = ours if isinstance(ours, dict) else {}
        for name, value in cuda.items():
            for rest, theirs, other in _facts(value, mine.get(name, ours if not mine else None)):
                yield f"/{name}{rest}", theirs, other
    else:
        yield "", cuda, ours
