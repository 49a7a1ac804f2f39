"""Names of PyTorch that have another value while the device is on, and how they get theirs back."""

from __future__ import annotations

from typing import Any, NamedTuple

_MISSING = object()


class Patch(NamedTuple):
    """`setattr(owner, name, value)`, to be undone."""

    owner: Any
    name: str
    value: Any


class Patches:
    """The patches that are applied, in order."""

    def __init__(self) -> None:
        self._before: list[Patch] = []

    def apply(self, owner: Any, name: str, value: Any) -> None:
        """Give a name another value."""
        self._before.append(Patch(owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Give all names their values back, the last first."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
