"""CUDA_VISIBLE_DEVICES: which of the simulated devices a process sees, and in which order."""

from __future__ import annotations

import os
from functools import cache
from itertools import takewhile
from typing import Any

import torch

from .library import functions

VARIABLE = "CUDA_VISIBLE_DEVICES"
# The devices that are seen, by their numbers without the variable.
ordinals: list[int] = []
_installed: list[int] = [0]
_read: list[str | None] = []  # the variable when it was read last; empty if it is not followed


@cache
def _generators(devices: int) -> tuple[Any, ...]:
    """`torch.cuda.default_generators`: one for each device, for the life of the process."""
    return tuple(functions.generator(index) for index in range(devices))


def uuid(ordinal: int) -> str:
    """A device's own name, under which the variable may list it after `GPU-`."""
    return f"{ordinal + 1:02x}000000-0000-0000-0000-000000000000"


def install(devices: int, *, follow: bool) -> None:
    """Let there be this many devices, of which the variable may hide some if it is followed."""
    functions.set_count(devices)  # it raises where the library has no room for so many
    _installed[0] = devices
    _read[:] = [os.environ.get(VARIABLE)] if follow else []
    _show(_listed(devices) if follow else list(range(devices)))


def refresh() -> None:
    """Read the variable again, as CUDA does when it starts, if it was changed since."""
    if _read and _read[0] != os.environ.get(VARIABLE):
        install(_installed[0], follow=True)


def _listed(devices: int) -> list[int]:
    """The variable's devices: those before the first that does not exist, as in CUDA."""
    every = range(devices)
    cuda: Any = torch.cuda
    listed = cuda._parse_visible_devices() if VARIABLE in os.environ else every
    if listed and isinstance(listed[0], str):
        listed = cuda._transform_uuid_to_ordinals(listed, [f"GPU-{uuid(n)}" for n in every])
    return list(takewhile(every.__contains__, listed))


def _show(seen: list[int]) -> None:
    functions.set_count(len(seen))
    ordinals[:] = seen
    cuda: Any = torch.cuda
    cuda.default_generators = _generators(len(seen))
    cuda._cached_device_count = None
    if not seen:  # CUDA would not have started
        cuda._initialized = False
        functions.require_init()
