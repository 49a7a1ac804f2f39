"""What is replaced in PyTorch while a device is on, as data, and the loop that applies it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_MISSING = object()


class Patch(NamedTuple):
    """While the device is on, `owner.name` is `replacement`.

    Attributes:
        owner: a module or class of PyTorch.
        name: of one of its attributes; a build without CUDA need not have it.
        replacement: its value while the device is on.
        why: which code of PyTorch asks for it, or what it does there without the replacement.
    """

    owner: Any
    name: str
    replacement: Any
    why: str


def each(owner: Any, names: Mapping[str, Any], why: str) -> Iterator[Patch]:
    """One patch for each name, all for the same reason."""
    for name, replacement in names.items():
        yield Patch(owner, name, replacement, why)


class Patches:
    """Applies patches, and remembers what to put back."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def apply(self, patches: Iterable[Patch]) -> None:
        """Apply them in order; all are made before the first is applied."""
        for owner, name, replacement, _ in list(patches):
            self._before.append((owner, name, vars(owner).get(name, _MISSING)))
            setattr(owner, name, replacement)

    def undo(self) -> None:
        """Give every name its value back, the last one first."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
