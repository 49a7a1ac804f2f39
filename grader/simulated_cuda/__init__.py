"""A CUDA device on any machine: `"cuda"` works, with real values, and fails as a GPU would.

from grader import simulated_cuda

with simulated_cuda(devices=2):
    model = torch.nn.Linear(3, 4).cuda()
    model(torch.ones(3))            # RuntimeError: Expected all tensors to be on the same ...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

__all__ = ["disable", "enable", "is_enabled", "simulated_cuda"]

_depth: list[int] = []


def enable(devices: int = 2) -> None:
    """Make "cuda" mean a simulated device, with `devices` of them."""
    from . import switch

    if not _depth:
        switch.turn_on(devices)
    _depth.append(devices)


def disable() -> None:
    """Undo one `enable`."""
    if not _depth:
        return
    _depth.pop()
    if not _depth:
        from . import switch

        switch.turn_off()


def is_enabled() -> bool:
    """Whether "cuda" means the simulated device now."""
    return bool(_depth)


@contextmanager
def simulated_cuda(devices: int = 2) -> Iterator[None]:
    """Make "cuda" a simulated device inside the `with` block."""
    enable(devices)
    try:
        yield
    finally:
        disable()


class _Callable(ModuleType):
    """So that `from grader import simulated_cuda` gives something to call as well."""

    def __call__(self, devices: int = 2) -> Any:
        return simulated_cuda(devices)


sys.modules[__name__].__class__ = _Callable
