"""Memory figures: the bytes of the storages that live tensors hold, counted when asked for."""

from __future__ import annotations

import gc
from typing import Any

import torch

from .. import devices
from ..tensors.tensor import CudaTensor

TOTAL = 8 * 2**30  # bytes of each device

_peaks: dict[int, int] = {}


def allocated(device: Any = None) -> int:
    """`torch.cuda.memory_allocated`: bytes, each storage counted once."""
    index = devices.number(device)
    storages = {
        t.host.untyped_storage()._cdata: t.host.untyped_storage().nbytes()
        for t in gc.get_objects()
        if type(t) is CudaTensor and t.index == index and t.host.layout is torch.strided
    }
    now = sum(storages.values())
    _peaks[index] = max(now, _peaks.get(index, 0))
    return now


def peak(device: Any = None) -> int:
    """`torch.cuda.max_memory_allocated`: the most bytes of all times that somebody asked."""
    allocated(device)
    return _peaks[devices.number(device)]


def reset_peak(device: Any = None) -> None:
    """`torch.cuda.reset_peak_memory_stats`."""
    _peaks.pop(devices.number(device), None)


def names() -> dict[str, Any]:
    """The functions of `torch.cuda`."""
    return {
        "empty_cache": lambda: None,
        "memory_allocated": allocated,
        "max_memory_allocated": peak,
        "memory_reserved": allocated,
        "max_memory_reserved": peak,
        "reset_peak_memory_stats": reset_peak,
        "mem_get_info": lambda device=None: (TOTAL - allocated(device), TOTAL),
    }
