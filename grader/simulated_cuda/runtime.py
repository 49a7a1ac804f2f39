"""`torch.cuda` without a driver: which devices there are, and each one's random numbers."""

from __future__ import annotations

import threading
from typing import Any

import torch


class _Current(threading.local):
    """The current device, which every thread chooses for itself, as on CUDA."""

    index = 0


_current = _Current()
count = 0


def current() -> int:
    return _current.index


def ordinal(index: int | None) -> int:
    """The device's number, or CUDA's complaint about it."""
    if index is None:
        return _current.index
    if not 0 <= index < count:
        raise torch.AcceleratorError(
            "CUDA error: invalid device ordinal\n"
            "GPU device may be out of range, do you have enough GPUs?\n"
            "CUDA kernel errors might be asynchronously reported at some other API call, so the "
            "stacktrace below might be incorrect.\n"
            "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
        )
    return index


def set_device(device: Any) -> None:
    index = torch.cuda._utils._get_device_index(device)
    if index >= 0:
        _current.index = ordinal(index)


def exchange(index: int) -> int:
    before = _current.index
    if index >= 0:
        _current.index = ordinal(index)
    return before


def draw(plan: Any, index: int, hosts: Any, named: Any) -> Any:
    return plan.run(*hosts, **named)


def replacements() -> dict[str, Any]:
    """The names of `torch.cuda` that change while the simulation is on."""
    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: count,
        "current_device": current,
        "set_device": set_device,
        "_exchange_device": exchange,
        "_maybe_exchange_device": exchange,
        "_lazy_init": lambda: None,
        "_lazy_call": lambda call, **_: call(),
        "init": lambda: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "get_device_name": lambda device=None: "Simulated CUDA device",
    }
