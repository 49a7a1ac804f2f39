"""The functions of `torch._C` that `torch/cuda/memory.py` calls: CUDA's caching allocator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ...common.patches import Patch
from ..library import functions
from .bindings import c_functions, device_as_character, is_integer

POOLS = ("all", "small_pool", "large_pool")
# The order of simulated_cuda::Figures in source/memory.h.
FIGURES = (
    "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes",
    "active_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
COUNTERS = ("current", "peak", "allocated", "freed")
ZEROS = dict.fromkeys(COUNTERS, 0)


# What `memory._snapshot()` says of the allocator where PYTORCH_CUDA_ALLOC_CONF is not set.
SETTINGS = {
    "PYTORCH_CUDA_ALLOC_CONF": "",
    "max_split_size": -1,
    "garbage_collection_threshold": 0.0,
    "expandable_segments": False,
    "pinned_num_register_threads": 1,
    "release_lock_on_cudamalloc": False,
    "pinned_use_cuda_host_register": False,
    "graph_capture_record_stream_reuse": False,
    "max_round_threshold": -1,
    "max_cached_size": -1,
    "roundup_power2_divisions": {str(2**power): 0 for power in range(16)},
}
IS_NEW = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 14)
OF_HOST = ("host_segments", "host_traces") if IS_NEW else ()
# torch/csrc/cuda/memory_snapshot.cpp
OPTIONS = {
    ("state", "all"): "expected state to be 'state', 'all', or None",
    ("state", "alloc", "all"): "expected context to be 'state', 'alloc', 'all', or None",
    ("python", "all"): "expected stacks to be 'python', or 'all'",
}


def memory_stats(device: int) -> dict[str, Any]:
    """`torch._C._cuda_memoryStats`, nested as `torch.cuda.memory_stats` expects it.

    The library gives the numbers flat: for each figure and pool the four counters, then the numbers
    of refused requests and of those tried again.
    """
    values = iter(functions.figures(device))
    stats: dict[str, Any] = {
        name: {pool: {counter: next(values) for counter in COUNTERS} for pool in POOLS}
        for name in FIGURES
    }
    return stats | {
        "num_ooms": next(values),
        "num_alloc_retries": next(values),
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
        raise RuntimeError(
            device_as_character("Invalid device argument ", device, ": did you call init?")
        )
    return device


def _reset_peaks(device: int) -> None:
    if not is_integer(device):
        raise RuntimeError("invalid argument to reset_peak_memory_stats")
    functions.reset_peaks(checked(device))


def _set_fraction(fraction: float, device: int) -> None:
    """Limit a device to this fraction of its memory; larger requests run out of memory."""
    if device not in range(torch.cuda.device_count()):
        raise RuntimeError(
            device_as_character(
                "Allocator not initialized for device ", device, ": did you call init?"
            )
        )
    functions.set_limit(device, int(fraction * functions.capacity()))


def memory_left(device: int) -> tuple[int, int]:
    """Free and total bytes of a device."""
    if device >= 0:  # else the current one
        functions.check_device(device)
    total = functions.capacity()
    stats = memory_stats(functions.current_device() if device < 0 else device)
    return total - stats["reserved_bytes"]["all"]["current"], total


def _snapshot(pool: Any = None, *_: Any) -> dict[str, Any]:
    """`torch._C._cuda_memorySnapshot`: every segment with its blocks; sizes in bytes."""
    segments: list[dict[str, Any]] = []
    is_default = pool is None or tuple(pool[:2]) == (0, 0)
    for device in range(torch.cuda.device_count() if is_default else 0):
        numbers = iter(functions.segments(device))
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
    return {
        "segments": segments,
        "device_traces": [[] for _ in range(torch.cuda.device_count())],
        "allocator_settings": dict(SETTINGS),
        "external_annotations": [],
        **{name: [] for name in OF_HOST},
    }


def _record_history(enabled: Any, context: Any = None, stacks: Any = "all", *_: Any) -> None:
    """`torch._C._cuda_record_memory_history`: look at the options. No history is recorded."""
    if enabled is None:
        return
    for value, (options, message) in zip((enabled, context, stacks), OPTIONS.items(), strict=True):
        if value not in (options if value is not None else (None,)):
            raise RuntimeError(message)


_RAW: dict[int, torch.Tensor] = {}  # address to the tensor that holds the memory


def _allocate(size: int, stream: int) -> int:
    """`torch.cuda.caching_allocator_alloc`: the address of `size` bytes, held until deleted."""
    if size < 0:
        raise ValueError(
            f"Invalid memory size: {size}. caching_allocator_alloc requires a non-negative size."
        )
    tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
    _RAW[tensor.data_ptr()] = tensor
    return tensor.data_ptr()


def patches() -> Iterator[Patch]:
    """What `torch/cuda/memory.py` asks the allocator."""
    yield from c_functions(_functions(), "torch/cuda/memory.py asks CUDA's caching allocator")


def _functions() -> dict[str, Any]:
    return {
        "emptyCache": functions.empty_cache,
        "memoryStats": lambda index: memory_stats(checked(index)),
        "resetPeakMemoryStats": _reset_peaks,
        "resetAccumulatedMemoryStats": lambda index: functions.reset_totals(checked(index)),
        "hostMemoryStats": dict,
        "resetPeakHostMemoryStats": lambda: None,
        "resetAccumulatedHostMemoryStats": lambda: None,
        "memorySnapshot": _snapshot,
        "cudaCachingAllocator_raw_alloc": _allocate,
        "cudaCachingAllocator_raw_delete": _RAW.pop,
        "isHistoryEnabled": lambda: False,
        "record_memory_history": _record_history,
        "record_memory_history_legacy": lambda *_, **__: None,
        "setMemoryFraction": _set_fraction,
        "getMemoryFraction": lambda index: functions.limit(index) / functions.capacity(),
        "getAllocatorBackend": lambda: "native",
    }
