"""Which devices there are, which one is current, and what CUDA says of any other."""

from __future__ import annotations

import threading
from typing import Any

import torch

from . import backend

MOST = 64
CPU = torch.device("cpu")
RAW = [backend.device(index) for index in range(MOST)]
CUDA = [torch.device("cuda", index) for index in range(MOST)]

INVALID_ORDINAL = (
    "CUDA error: invalid device ordinal\n"
    "GPU device may be out of range, do you have enough GPUs?\n"
    "Search for `cudaErrorInvalidDevice' in https://docs.nvidia.com/cuda/cuda-runtime-api/"
    "group__CUDART__TYPES.html for more information.\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\n"
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)

_count = 0


class _Current(threading.local):
    """Every thread has a current device of its own, as on CUDA."""

    index = 0


_current = _Current()


def count() -> int:
    """How many devices there are."""
    return _count


def set_count(devices: int) -> None:
    """Say how many devices there are."""
    global _count
    if not 0 < devices <= MOST:
        raise ValueError(f"from 1 to {MOST} devices, not {devices}")
    _count = devices
    if _current.index >= devices:
        _current.index = 0


def current() -> int:
    """The current device's number."""
    return _current.index


def ordinal(index: int | None) -> int:
    """The number of a device, the current one's for None, or CUDA's complaint about it."""
    if index is None:
        return _current.index
    if not 0 <= index < _count:
        raise torch.AcceleratorError(INVALID_ORDINAL)
    return index


def exchange(index: int) -> int:
    """Make a device current, unless it is negative, and tell which one was."""
    before = _current.index
    if index >= 0:
        _current.index = ordinal(index)
    return before


def number(device: Any = None) -> int:
    """The number that any way to name a simulated device means."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type not in ("cuda", backend.NAME):
            raise ValueError(f"Expected a cuda device, but got: {device}")
        device = device.index
    return ordinal(device)


def raw(device: Any) -> Any:
    """The backend's own name of a simulated device; other devices stay as they are."""
    if type(device) is int:
        if device < 0:
            raise RuntimeError("Device index must not be negative")
        return RAW[ordinal(device)]
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return RAW[ordinal(device.index)]
    return device
