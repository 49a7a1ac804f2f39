"""The names of PyTorch that a build without CUDA, or without a driver, lacks: data for `switch`.

Most are functions of `torch._C` that `torch/cuda/*.py` calls. With these in place the Python of
`torch.cuda` is PyTorch's own, with its checks and its words.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from ...common import parallel
from ...common.patches import Patch
from ...common.refusals import refuse
from .. import forks
from . import backward, legacy_types, memory, properties, settings, storages, streams

CUDA_VERSION, CUDNN_VERSION = "13.0", 91900


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


def _set_stream(stream_id: int, device_index: int, device_type: int) -> None:
    _exchange(device_index)
    torch.ops.simulated_cuda.set_stream(device_index, stream_id)


def _nothing(*_: Any, **__: Any) -> None:
    """For what there is nothing to do."""


def identity_compile(model: Any = None, **options: Any) -> Any:
    """`torch.compile`, which would generate code for a GPU: here the function runs as it is."""
    warnings.warn(
        "torch.compile does nothing on the simulated CUDA device: the function runs uncompiled.",
        stacklevel=2,
    )
    return (lambda function: function) if model is None else model


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
        cudaMemGetInfo=memory.memory_left,
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
    return settings.names() | {
        "init": _nothing,
        "getDeviceCount": lambda: torch.cuda.device_count(),
        "getDevice": device.current_device,
        "setDevice": lambda index: device.set_device(index),
        "exchangeDevice": _exchange,
        "maybeExchangeDevice": _exchange,
        "hasPrimaryContext": lambda index: True,
        "isInBadFork": lambda: forks.is_bad(),
        "synchronize": lambda: None,
        "ipc_collect": _nothing,
        "sleep": _nothing,
        "canDeviceAccessPeer": lambda one, other: one != other,
        "getArchFlags": lambda: "sm_{}{}".format(*properties.CAPABILITY),
        "getCompiledVersion": lambda: 13000,
        "getCurrentStream": lambda index: (device.current_stream(_in_range(index)), index, 1),
        "getDefaultStream": lambda index: (0, index, 1),
        "getCurrentRawStream": device.current_stream,
        "setStream": _set_stream,
        "isCurrentStreamCapturing": lambda: False,
        "emptyCache": device.empty_cache,
        "memoryStats": lambda index: memory.memory_stats(memory.known(index)),
        "resetPeakMemoryStats": lambda index: device.reset_peaks(memory.known(index)),
        "resetAccumulatedMemoryStats": lambda index: device.reset_totals(memory.known(index)),
        "hostMemoryStats": dict,
        "memorySnapshot": memory.snapshot,
        "cudaCachingAllocator_raw_alloc": memory.allocate,
        "cudaCachingAllocator_raw_delete": memory.RAW.pop,
        "isHistoryEnabled": lambda: False,
        "record_memory_history": _nothing,
        "setMemoryFraction": memory.set_fraction,
        "getMemoryFraction": lambda index: device.limit(index) / device.capacity(),
        "getAllocatorBackend": lambda: "native",
        "clearCublasWorkspaces": _nothing,
        "getCurrentBlasHandle": lambda: 0,
        "getCurrentSolverHandle": lambda: 0,
        "getStreamFromExternal": lambda address, index: (address, index, 1),
        "set_sync_debug_mode": device.set_sync_debug_mode,
        "get_sync_debug_mode": device.sync_debug_mode,
        "resetPeakHostMemoryStats": _nothing,
        "resetAccumulatedHostMemoryStats": _nothing,
    }


def _refused_on_cuda_builds() -> Iterator[Patch]:
    """Names with which a CUDA build calls NVIDIA's libraries; a CPU build lacks most of them."""
    for name in vars(torch._C):
        if name.startswith("_nccl_") and "version" not in name:
            yield Patch(torch._C, name, refuse("NCCL", "needs"))
        elif name.startswith("_gds_"):
            yield Patch(torch._C, name, refuse("GPUDirect Storage", "needs"))
    pool = type("MemPool", (), {"__new__": refuse("memory pools")})
    for space in (torch.cuda, torch.cuda.memory):
        yield Patch(space, "MemPool", pool)
    yield Patch(torch.cuda, "_compile_kernel", refuse("kernels that are compiled at run time"))
    # `attention_choice` in fused_kernels.h never takes cuDNN's kernel.
    yield Patch(torch._C, "_can_use_cudnn_attention", lambda params, debug=False: False)
    # `torch.jit.fuser` turns fusing on; `switch.turn_on` turned it off.
    yield Patch(torch._C, "_jit_override_can_fuse_on_gpu", _nothing)
    if torch.distributed.is_available():
        symmetric = torch._C._distributed_c10d._SymmetricMemory
        yield Patch(symmetric, "empty_strided_p2p", refuse("symmetric memory", "needs"))


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
    yield Patch(cuda, "_is_in_bad_fork", lambda: forks.is_bad())
    yield Patch(cuda, "_cudart", _cudart())
    yield Patch(cuda, "_queued_calls", [])
    yield Patch(cuda, "_lazy_seed_tracker", cuda._LazySeedTracker())
    yield Patch(cuda, "_initialized", False)
    yield Patch(cuda, "_exchange_device", _exchange)
    yield Patch(cuda, "_maybe_exchange_device", _exchange)
    modes = SimpleNamespace(rnn_relu=0, rnn_tanh=1, lstm=2, gru=3)
    yield Patch(cudnn.rnn.m, "_cudnn", SimpleNamespace(RNNMode=modes))
    yield Patch(cuda, "is_available", lambda: torch.cuda.device_count() > 0)
    yield Patch(cuda, "_get_device_properties", properties.properties)
    yield Patch(cuda, "_CudaDeviceProperties", properties.DeviceProperties)
    yield Patch(cuda, "is_bf16_supported", lambda including_emulation=True: True)
    for space in (cuda, torch.cuda.streams):
        for name in ("Stream", "Event", "ExternalStream"):
            yield Patch(space, name, getattr(again, name))
    yield Patch(torch.cuda.nvtx, "_nvtx", _Ranges())
    for name in ("__enter__", "__exit__"):
        yield Patch(torch.autograd.profiler.emit_nvtx, name, _nothing)
    yield Patch(cuda.nccl, "is_available", lambda tensors: False)
    yield from _refused_on_cuda_builds()
    yield Patch(cuda, "CUDAGraph", type("CUDAGraph", (), {"__new__": refuse("CUDA graphs")}))
    yield Patch(cuda, "graph", type("graph", (), {"__new__": refuse("CUDA graphs")}))
    yield Patch(cuda, "make_graphed_callables", refuse("CUDA graphs"))
    yield Patch(torch, "compile", identity_compile)
    yield Patch(torch.UntypedStorage, "__new__", storages.new_storage())
    yield Patch(torch.UntypedStorage, "resize_", storages.resizing())
    yield Patch(torch.UntypedStorage, "_share_cuda_", storages.share)
    yield from legacy_types.patches()
    yield from backward.patches()


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
