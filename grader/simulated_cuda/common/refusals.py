"""What needs a real device, and says so."""

from __future__ import annotations

from typing import Any


def refuse(what: str, need: str = "need") -> Any:
    """A function that says what needs a real device."""

    def run(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"The simulated CUDA device computes on the CPU: {what} {need} a real CUDA device."
        )

    return run
