"""The functions of `torch._C` that `torch/cuda/memory.py` calls: CUDA's caching allocator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch
from .c_functions import c_functions

POOLS = ("all", "small_pool", "large_pool")
# The order of simulated_cuda::Figures in source/memory.h.
FIGURES = (
    "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes",
    "active_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
COUNTERS = ("current", "peak", "allocated", "freed")
ZEROS = dict.fromkeys(COUNTERS, 0)


def memory_stats(device: int) -> dict[str, Any]:
    """`torch._C._cuda_memoryStats`, nested as `torch.cuda.memory_stats` expects it.

    The library gives the numbers flat: for each figure and pool the four counters, then the number
    of refused requests.
    """
    values = iter(torch.ops.simulated_cuda.figures(device))
    stats: dict[str, Any] = {
        name: {pool: {counter: next(values) for counter in COUNTERS} for pool in POOLS}
        for name in FIGURES
    }
    return stats | {
        "num_ooms": next(values),
        "num_alloc_retries": 0,
        "num_sync_all_streams": 0,
        "num_device_alloc": stats["segment"]["all"]["allocated"],
        "num_device_free": stats["segment"]["all"]["freed"],
        "num_oom_rejections": 0,
        "max_split_size": -1,
        "oversize_allocations": ZEROS,
        "oversize_segments": ZEROS,
    }


def checked(device: int) -> int:
    """`device`, if there is one of that number.

    Raises:
        RuntimeError: there is none; in the words of CUDACachingAllocator.cpp.
    """
    if not 0 <= device < torch.cuda.device_count():
        raise RuntimeError(f"Invalid device argument {chr(device)}: did you call init?")
    return device


def _set_fraction(fraction: float, device: int) -> None:
    """Limit a device to this fraction of its memory; larger requests run out of memory."""
    device_ops = torch.ops.simulated_cuda
    device_ops.set_limit(device, int(fraction * device_ops.capacity()))


def memory_left(device: int) -> tuple[int, int]:
    """Free and total bytes of a device."""
    torch.ops.simulated_cuda.check_device(device)
    total = torch.ops.simulated_cuda.capacity()
    return total - memory_stats(device)["reserved_bytes"]["all"]["current"], total


def _snapshot(*_: Any) -> dict[str, Any]:
    """`torch._C._cuda_memorySnapshot`: every segment with its blocks; sizes in bytes."""
    segments: list[dict[str, Any]] = []
    for device in range(torch.cuda.device_count()):
        numbers = iter(torch.ops.simulated_cuda.segments(device))
        for address, size, requested, small, used, first in zip(*[numbers] * 6, strict=True):
            if first:
                empty = dict.fromkeys(("total_size", "allocated_size", "requested_size"), 0)
                kind = "small" if small else "large"
                segments.append(
                    {"device": device, "address": address, "stream": 0, "segment_type": kind}
                    | {"segment_pool_id": (0, 0), "is_expandable": False, "frames": []}
                    | {"active_size": 0, **empty, "blocks": []}
                )
            segment = segments[-1]
            segment["total_size"] += size
            for name, bytes_used in (
                ("allocated", size),
                ("active", size),
                ("requested", requested),
            ):
                segment[f"{name}_size"] += bytes_used if used else 0
            state = "active_allocated" if used else "inactive"
            block = {"address": address, "size": size, "requested_size": requested, "state": state}
            segment["blocks"].append({**block, "frames": []})
    return {"segments": segments, "device_traces": [], "allocator_settings": {}}


_RAW: dict[int, torch.Tensor] = {}  # address to the tensor that holds the memory


def _allocate(size: int, stream: int) -> int:
    """`torch.cuda.caching_allocator_alloc`: the address of `size` bytes, held until deleted."""
    tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
    _RAW[tensor.data_ptr()] = tensor
    return tensor.data_ptr()


def patches() -> Iterator[Patch]:
    """What `torch/cuda/memory.py` asks the allocator."""
    yield from c_functions(_functions(), "torch/cuda/memory.py asks CUDA's caching allocator")


def _functions() -> dict[str, Any]:
    device = torch.ops.simulated_cuda
    return {
        "emptyCache": device.empty_cache,
        "memoryStats": lambda index: memory_stats(checked(index)),
        "resetPeakMemoryStats": lambda index: device.reset_peaks(checked(index)),
        "resetAccumulatedMemoryStats": lambda index: device.reset_totals(checked(index)),
        "hostMemoryStats": dict,
        "resetPeakHostMemoryStats": lambda: None,
        "resetAccumulatedHostMemoryStats": lambda: None,
        "memorySnapshot": _snapshot,
        "cudaCachingAllocator_raw_alloc": _allocate,
        "cudaCachingAllocator_raw_delete": _RAW.pop,
        "isHistoryEnabled": lambda: False,
        "record_memory_history": lambda *_, **__: None,
        "setMemoryFraction": _set_fraction,
        "getMemoryFraction": lambda index: device.limit(index) / device.capacity(),
        "getAllocatorBackend": lambda: "native",
    }
