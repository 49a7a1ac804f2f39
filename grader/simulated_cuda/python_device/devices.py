"""Which devices there are, which one is current, and CUDA's error for any other."""

from __future__ import annotations

import threading
from typing import Any

import torch

from . import backend

MOST = 64  # devices
CPU = torch.device("cpu")
# The same devices as PyTorch's C++ and as Python code name them.
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

_count = [0]  # of devices


class _Current(threading.local):
    """The current device: each thread has its own, as on CUDA."""

    index = 0


_current = _Current()


def count() -> int:
    """How many devices there are."""
    return _count[0]


def set_count(devices: int) -> None:
    """Let there be this many devices.

    Raises:
        ValueError: more than `MOST`.
    """
    if not 0 <= devices <= MOST:
        raise ValueError(f"from 0 to {MOST} devices, not {devices}")
    _count[0] = devices
    if _current.index >= devices:
        _current.index = 0


def ordinal(index: int | None = None) -> int:
    """`index`, or the current device's for None.

    Raises:
        RuntimeError: there is no device at all; in CUDA's words, as the next.
        torch.AcceleratorError: there is no such device.
    """
    if not _count[0]:
        raise RuntimeError("No CUDA GPUs are available")
    if index is None:
        index = _current.index
    if not 0 <= index < _count[0]:
        raise torch.AcceleratorError(INVALID_ORDINAL)
    return index


def exchange(index: int) -> int:
    """Make a device current, unless `index` is negative, and return which one was."""
    before = _current.index
    if index >= 0:
        _current.index = ordinal(index)
    return before


def number(device: Any = None) -> int:
    """The index of a CUDA device that is given as a string, a `torch.device`, a number or None.

    Raises:
        ValueError: it is a device of another type.
        torch.AcceleratorError: there is no such device.
    """
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type not in ("cuda", backend.NAME):
            raise ValueError(f"Expected a cuda device, but got: {device}")
        device = device.index
    return ordinal(device)


def raw(device: Any) -> Any:
    """The backend's name of a CUDA device; any other value unchanged."""
    if type(device) is int:
        if device < 0:
            raise RuntimeError("Device index must not be negative")
        return RAW[ordinal(device)]
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return RAW[ordinal(device.index)]
    return device
