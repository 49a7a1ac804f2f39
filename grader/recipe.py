"""How an exercise's class is built and fed: plain data that the probe follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Input:
    """A tensor to draw afresh for every run.

    Attributes:
        shape: its size in each dimension.
        kind: `normal` (float32), `integers` (int64 in [0, high)) or `booleans`.
    """

    shape: tuple[int, ...]
    kind: Literal["normal", "integers", "booleans"] = "normal"
    high: int = 2


@dataclass(frozen=True)
class Recipe:
    """The constructor's arguments and forward's inputs."""

    arguments: dict[str, Any]
    inputs: tuple[Input, ...]
