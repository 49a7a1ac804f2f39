"""One name of PyTorch that has another value while the device is on."""

from __future__ import annotations

from typing import Any, NamedTuple


class Patch(NamedTuple):
    """`setattr(owner, name, value)`, to be undone."""

    owner: Any
    name: str
    value: Any
