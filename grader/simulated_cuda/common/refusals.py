"""Functions that need a real device, and say so."""

from __future__ import annotations

from typing import Any


def refuse(what: str, need: str = "need") -> Any:
    """A function that raises NotImplementedError: `what` (plural, or `need="needs"`) is missing."""

    def run(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"The simulated CUDA device computes on the CPU: {what} {need} a real CUDA device."
        )

    return run


def refused_class(name: str, what: str) -> Any:
    """A class that cannot be instantiated. Libraries write such names in their signatures."""
    return type(name, (), {"__new__": refuse(what)})
