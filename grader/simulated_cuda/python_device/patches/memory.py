"""Memory figures: the bytes of the storages that live tensors hold, counted when asked for."""

from __future__ import annotations

import gc
from typing import Any

import torch

from .. import devices
from ..tensors.tensor import CudaTensor

TOTAL = 8 * 2**30  # bytes of each device

_peaks: dict[int, int] = {}


def _allocated(index: int) -> int:
    """The bytes on a device, each storage counted once."""
    storages = {
        t.host.untyped_storage()._cdata: t.host.untyped_storage().nbytes()
        for t in gc.get_objects()
        if type(t) is CudaTensor and t.index == index and t.host.layout is torch.strided
    }
    now = sum(storages.values())
    _peaks[index] = max(now, _peaks.get(index, 0))
    return now


def stats(device: Any = None) -> dict[str, int]:
    """`torch.cuda.memory_stats`, empty without a device: a peak is of all times that one asked."""
    if not devices.count():
        return {}
    index = devices.number(device)
    figures = {"current": _allocated(index), "peak": _peaks[index]}
    return {f"{k}_bytes.all.{t}": n for k in ("allocated", "reserved") for t, n in figures.items()}


def names() -> dict[str, Any]:
    """The functions of `torch.cuda`."""
    return {
        "empty_cache": lambda: None,
        "memory_stats": stats,
        "reset_peak_memory_stats": lambda device=None: _peaks.update({devices.number(device): 0}),
        "mem_get_info": lambda device=None: (TOTAL - _allocated(devices.number(device)), TOTAL),
    }
