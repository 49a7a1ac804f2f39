"""The names of PyTorch that a build without CUDA, or without a driver, lacks: data for `switch`.

Most are functions of `torch._C` that `torch/cuda/*.py` calls. With these in place the Python of
`torch.cuda` is PyTorch's own, with its checks and its words.
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from . import legacy_types, parallel, streams
from .patch import Patch

NAME = "Simulated CUDA device"
CAPABILITY = (9, 0)  # of an H100: what PyTorch chooses by it, it chooses as there
CUDA_VERSION, CUDNN_VERSION = "13.0", 91900
POOLS = ("all", "small_pool", "large_pool")
# The order of simulated_cuda::Figures in source/memory.h.
FIGURES = (
    "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes",
    "active_bytes", "inactive_split_bytes", "requested_bytes",
)  # fmt: skip
COUNTERS = ("current", "peak", "allocated", "freed")
ZEROS = dict.fromkeys(COUNTERS, 0)


# Not empty in a child of a process that had used the device: CUDA is lost in it then.
_lost_in_fork: list[bool] = []


def _after_fork() -> None:
    if torch.cuda._initialized:
        _lost_in_fork.append(True)
        torch.ops.simulated_cuda.require_init()


os.register_at_fork(after_in_child=_after_fork)


def adopt_fork() -> None:
    """Let this forked child use the device, which nothing hinders: there is no driver to lose."""
    _lost_in_fork.clear()


class _DeviceProperties(SimpleNamespace):
    """`torch._C._CudaDeviceProperties`."""

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, "
            f"multi_processor_count={self.multi_processor_count}, uuid={self.uuid}, "
            f"pci_bus_id={self.pci_bus_id}, pci_device_id=0, pci_domain_id=0, "
            f"L2_cache_size={self.L2_cache_size // 2**20}MB)"
        )


def properties(device: int) -> _DeviceProperties:
    """What `get_device_properties` says of a device; sizes in bytes."""
    return _DeviceProperties(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=torch.ops.simulated_cuda.capacity(),
        multi_processor_count=132,
        is_integrated=0,
        is_multi_gpu_board=0,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        warp_size=32,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=232448,
        shared_memory_per_multiprocessor=233472,
        clock_rate=1980000,
        memory_clock_rate=2619000,
        memory_bus_width=5120,
        L2_cache_size=52428800,
        gcnArchName=NAME,
        uuid=f"{device + 1:02x}000000-0000-0000-0000-000000000000",
        pci_bus_id=device + 1,
        pci_device_id=0,
        pci_domain_id=0,
    )


def memory_stats(device: int) -> dict[str, Any]:
    """`torch._C._cuda_memoryStats`: what CUDA's caching allocator would count, nested."""
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


def _known(device: int) -> int:
    """The number of a device, as the allocator's functions take it.

    Raises:
        RuntimeError: there is no such device; in the words of CUDACachingAllocator.
    """
    if not 0 <= device < torch.cuda.device_count():
        raise RuntimeError(f"Invalid device argument {chr(device)}: did you call init?")
    return device


def _in_range(device: int) -> int:
    """The number of a device, as c10's streams take it."""
    count = torch.cuda.device_count()
    if not 0 <= device < count:
        raise RuntimeError(f"Device index value {device} is out of index range [0, {count})")
    return device


def _exchange(index: int) -> int:
    before: int = torch.ops.simulated_cuda.current_device()
    if index >= 0:
        torch.ops.simulated_cuda.set_device(index)
    return before


def _set_fraction(fraction: float, device: int) -> None:
    device_ops = torch.ops.simulated_cuda
    device_ops.set_limit(device, int(fraction * device_ops.capacity()))


def _set_stream(stream_id: int, device_index: int, device_type: int) -> None:
    _exchange(device_index)
    torch.ops.simulated_cuda.set_stream(device_index, stream_id)


def _nothing(*_: Any, **__: Any) -> None:
    """For what there is nothing to do."""


def refuse(what: str) -> Any:
    """A function that says what needs a real device."""

    def run(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"The simulated CUDA device computes on the CPU: {what} need a real CUDA device."
        )

    return run


def identity_compile(model: Any = None, **options: Any) -> Any:
    """`torch.compile`, which would generate code for a GPU: here the function runs as it is."""
    warnings.warn(
        "torch.compile does nothing on the simulated CUDA device: the function runs uncompiled.",
        stacklevel=2,
    )
    return (lambda function: function) if model is None else model


def _memory_left(device: int) -> tuple[int, int]:
    """Free and total bytes of a device."""
    torch.ops.simulated_cuda.check_device(device)
    total = torch.ops.simulated_cuda.capacity()
    return total - memory_stats(device)["reserved_bytes"]["all"]["current"], total


def _snapshot(*_: Any) -> dict[str, Any]:
    """`torch._C._cuda_memorySnapshot`: every segment with its blocks."""
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


_raw: dict[int, Any] = {}


def _allocate(size: int, stream: int) -> int:
    """`caching_allocator_alloc`: the address of that many bytes, held until they are deleted."""
    tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
    _raw[tensor.data_ptr()] = tensor
    return tensor.data_ptr()


def _cudart() -> ModuleType:
    """`torch._C._cudart`."""
    module = ModuleType("torch._C._cudart")
    success = SimpleNamespace(success=0)
    vars(module).update(
        cudaError=success,
        cudaGetErrorString=lambda code: "no error",
        cudaProfilerStart=lambda: 0,
        cudaProfilerStop=lambda: 0,
        cudaHostRegister=lambda *_: 0,
        cudaHostUnregister=lambda *_: 0,
        cudaMemGetInfo=_memory_left,
    )
    return module


class _Ranges:
    """`torch._C._nvtx`: nested ranges that nobody records."""

    depth = 0

    def rangePushA(self, message: str) -> int:  # noqa: N802  (PyTorch's name)
        """The depth of the range that begins."""
        self.depth += 1
        return self.depth - 1

    def rangePop(self) -> int:  # noqa: N802
        """The depth of the range that ends."""
        self.depth -= 1
        return self.depth

    rangeStartA = markA = rangeEnd = staticmethod(lambda *_: 0)  # noqa: N815


def _c_names() -> dict[str, Any]:
    """The functions of `torch._C`, without their prefix `_cuda_`."""
    device = torch.ops.simulated_cuda
    debug_mode, benchmark_limit = [0], [10]
    return {
        "init": _nothing,
        "getDeviceCount": lambda: torch.cuda.device_count(),
        "getDevice": device.current_device,
        "setDevice": lambda index: device.set_device(index),
        "exchangeDevice": _exchange,
        "maybeExchangeDevice": _exchange,
        "hasPrimaryContext": lambda index: True,
        "isInBadFork": lambda: bool(_lost_in_fork),
        "synchronize": lambda: None,
        "ipc_collect": _nothing,
        "sleep": lambda cycles: time.sleep(0),
        "canDeviceAccessPeer": lambda one, other: one != other,
        "getArchFlags": lambda: f"sm_{CAPABILITY[0]}{CAPABILITY[1]}",
        "getCompiledVersion": lambda: 13000,
        "getCurrentStream": lambda index: (device.current_stream(_in_range(index)), index, 1),
        "getDefaultStream": lambda index: (0, index, 1),
        "getCurrentRawStream": device.current_stream,
        "setStream": _set_stream,
        "isCurrentStreamCapturing": lambda: False,
        "emptyCache": device.empty_cache,
        "memoryStats": lambda index: memory_stats(_known(index)),
        "resetPeakMemoryStats": lambda index: device.reset_peaks(_known(index)),
        "resetAccumulatedMemoryStats": lambda index: device.reset_totals(_known(index)),
        "hostMemoryStats": dict,
        "memorySnapshot": _snapshot,
        "cudaCachingAllocator_raw_alloc": _allocate,
        "cudaCachingAllocator_raw_delete": _raw.pop,
        "isHistoryEnabled": lambda: False,
        "record_memory_history": _nothing,
        "setMemoryFraction": _set_fraction,
        "getMemoryFraction": lambda index: device.limit(index) / device.capacity(),
        "getAllocatorBackend": lambda: "native",
        "clearCublasWorkspaces": _nothing,
        "getCurrentBlasHandle": lambda: 0,
        "set_sync_debug_mode": lambda mode: debug_mode.__setitem__(0, mode),
        "get_sync_debug_mode": lambda: debug_mode[0],
        "set_cudnn_benchmark_limit": lambda limit: benchmark_limit.__setitem__(0, limit),
        "get_cudnn_benchmark_limit": lambda: benchmark_limit[0],
        "resetPeakHostMemoryStats": _nothing,
        "resetAccumulatedHostMemoryStats": _nothing,
    }


def _new_storage() -> Any:
    """`torch.UntypedStorage.__new__` that knows the device."""
    before: Any = torch.UntypedStorage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **named: Any) -> Any:
        if device is None:
            return before(cls, *args, **named)
        if torch.device(device).type != "cuda":
            return before(cls, *args, device=device, **named)
        if args and not isinstance(args[0], int):
            numbers = torch.tensor(list(args[0]), dtype=torch.uint8)
            return numbers.to(device).untyped_storage()
        return torch.empty(*(args or (0,)), dtype=torch.uint8, device=device).untyped_storage()

    return staticmethod(new)


def _share_storage(storage: Any) -> Any:
    """`torch.UntypedStorage._share_cuda_`: the handle by which another process finds the memory."""
    if storage.device.type != "cuda":
        raise RuntimeError("_share_cuda_: only available on CUDA")
    return refuse("handles of memory for other processes")()


def _resize_storage() -> Any:
    """`torch.UntypedStorage.resize_` that knows the device."""
    before = torch.UntypedStorage.resize_

    def resize_(storage: Any, size: int) -> Any:
        if storage.device.type != "cuda":
            return before(storage, size)
        with torch.no_grad():
            tensor = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
        torch.ops.simulated_cuda.resize_storage(tensor, size)
        return storage

    return resize_


def patches() -> Iterator[Patch]:
    """All names, with the values that they have while the device is on."""
    cuda: Any = torch.cuda
    cudnn: Any = torch.backends.cudnn
    again = streams.module()
    for name, value in _c_names().items():
        # A CUDA build's `torch.cuda.graphs` has imported its name already.
        for space in (torch._C, cuda.graphs):
            if space is torch._C or f"_cuda_{name}" in vars(space):
                yield Patch(space, f"_cuda_{name}", value)
    for name, value in parallel.NAMES.items():
        yield Patch(torch._C, name, value)
    yield Patch(torch._C, "_has_cuda", True)
    yield Patch(torch._C, "_has_cudnn", True)
    yield Patch(torch.version, "cuda", CUDA_VERSION)
    yield Patch(cudnn.m, "_init", lambda: True)
    yield Patch(cudnn.m, "__cudnn_version", CUDNN_VERSION)
    yield Patch(cuda, "_is_in_bad_fork", lambda: bool(_lost_in_fork))
    yield Patch(cuda, "_cudart", _cudart())
    yield Patch(cuda, "_queued_calls", [])
    yield Patch(cuda, "_lazy_seed_tracker", cuda._LazySeedTracker())
    yield Patch(cuda, "_initialized", False)
    yield Patch(cuda, "_exchange_device", _exchange)
    yield Patch(cuda, "_maybe_exchange_device", _exchange)
    modes = SimpleNamespace(rnn_relu=0, rnn_tanh=1, lstm=2, gru=3)
    yield Patch(cudnn.rnn.m, "_cudnn", SimpleNamespace(RNNMode=modes))
    yield Patch(cuda, "is_available", lambda: torch.cuda.device_count() > 0)
    yield Patch(cuda, "_get_device_properties", properties)
    yield Patch(cuda, "_CudaDeviceProperties", _DeviceProperties)
    yield Patch(cuda, "is_bf16_supported", lambda including_emulation=True: True)
    for space in (cuda, torch.cuda.streams):
        for name in ("Stream", "Event", "ExternalStream"):
            yield Patch(space, name, getattr(again, name))
    yield Patch(torch.cuda.nvtx, "_nvtx", _Ranges())
    yield Patch(cuda.nccl, "is_available", lambda tensors: False)
    yield Patch(cuda, "CUDAGraph", type("CUDAGraph", (), {"__new__": refuse("CUDA graphs")}))
    yield Patch(cuda, "graph", type("graph", (), {"__new__": refuse("CUDA graphs")}))
    yield Patch(cuda, "make_graphed_callables", refuse("CUDA graphs"))
    yield Patch(torch, "compile", identity_compile)
    yield Patch(torch.UntypedStorage, "__new__", _new_storage())
    yield Patch(torch.UntypedStorage, "resize_", _resize_storage())
    yield Patch(torch.UntypedStorage, "_share_cuda_", _share_storage)
    yield from legacy_types.patches()
    yield from _backward()


def _backward() -> Iterator[Patch]:
    """Backward in the calling thread, so that the autograd engine needs no thread for a device."""
    run = torch.autograd.graph._engine_run_backward
    settled = [os.getpid()]

    def backward(*args: Any, **named: Any) -> Any:
        if settled[0] != os.getpid():  # a forked child has an engine of its own
            torch.ops.simulated_cuda.settle_engine()
            settled[0] = os.getpid()
        if not torch._C._is_multithreading_enabled():
            return run(*args, **named)
        torch._C._set_multithreading_enabled(False)
        try:
            return run(*args, **named)
        finally:
            torch._C._set_multithreading_enabled(True)

    for space in (torch.autograd, torch.autograd.graph):
        yield Patch(space, "_engine_run_backward", backward)


@contextlib.contextmanager
def bases_of_streams() -> Iterator[None]:
    """`torch._C._CudaStreamBase` and `_CudaEventBase` are ours inside."""
    names = {"_CudaStreamBase": streams.StreamBase, "_CudaEventBase": streams.EventBase}
    before = {name: vars(torch._C).get(name) for name in names}
    vars(torch._C).update(names)
    try:
        yield
    finally:
        vars(torch._C).update(before)
