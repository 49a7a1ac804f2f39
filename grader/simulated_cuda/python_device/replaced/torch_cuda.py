"""`torch.cuda` without a driver: what its functions answer while the simulation is on."""

from __future__ import annotations

import gc
import time
from functools import cache
from types import SimpleNamespace
from typing import Any

import torch

from ...common.legacy_dtypes import DTYPES
from ...common.refusals import refuse
from .. import devices
from ..operators import randomness
from ..tensors.tensor import CudaTensor

NAME = "Simulated CUDA device"
MEMORY = 8 * 2**30


class Stream:
    """Work is done when a call returns, so a stream has nothing to wait for."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device_index = devices.number(device)
        self.device = devices.CUDA[self.device_index]
        self.priority = priority
        self.stream_id = self.cuda_stream = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        """Nothing to leave."""

    def synchronize(self) -> None:
        """All is done already."""

    def wait_event(self, event: Any) -> None:
        """It has happened already."""

    def wait_stream(self, stream: Any) -> None:
        """It is done already."""

    def query(self) -> bool:
        """It is done already."""
        return True

    def record_event(self, event: Any = None) -> Any:
        """Mark this moment."""
        event = event or Event(enable_timing=True)
        event.record(self)
        return event


class Event:
    """A moment, taken from the computer's clock."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self.moment: float | None = None

    def record(self, stream: Any = None) -> None:
        """Take the time."""
        self.moment = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """It has happened already."""

    def synchronize(self) -> None:
        """It has happened already."""

    def query(self) -> bool:
        """It is done already."""
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to another."""
        if self.moment is None or end.moment is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end.moment - self.moment) * 1000


class _LegacyType(type):
    """`torch.cuda.FloatTensor`: makes such tensors, and recognises them."""

    dtype: torch.dtype

    def __instancecheck__(cls, value: Any) -> bool:
        return type(value) is CudaTensor and value.dtype is cls.dtype

    def __call__(cls, *args: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], (list, tuple, torch.Tensor)):
            return torch.as_tensor(args[0], dtype=cls.dtype).cuda()
        return torch.empty(*args, dtype=cls.dtype, device="cuda")


def legacy_types() -> dict[str, Any]:
    """`torch.cuda.FloatTensor` and its like."""
    return {
        f"{name}Tensor": _LegacyType(
            f"{name}Tensor", (), {"dtype": dtype, "__module__": "torch.cuda"}
        )
        for name, dtype in DTYPES.items()
    }


class _Memory:
    """Bytes of the storages that live tensors hold, counted when asked."""

    peak: dict[int, int] = {}  # noqa: RUF012

    def allocated(self, device: Any = None) -> int:
        """Bytes that live tensors hold now."""
        index = devices.number(device)
        storages = {
            t.host.untyped_storage()._cdata: t.host.untyped_storage().nbytes()
            for t in gc.get_objects()
            if type(t) is CudaTensor and t.index == index and t.host.layout is torch.strided
        }
        held = sum(storages.values())
        self.peak[index] = max(held, self.peak.get(index, 0))
        return held

    def most(self, device: Any = None) -> int:
        """The most that was seen when memory was asked for."""
        self.allocated(device)
        return self.peak[devices.number(device)]

    def reset(self, device: Any = None) -> None:
        """Forget the peak."""
        self.peak.pop(devices.number(device), None)


memory = _Memory()


def properties(device: Any = None) -> SimpleNamespace:
    """What `get_device_properties` says of every simulated device."""
    devices.number(device)
    return SimpleNamespace(
        name=NAME,
        major=9,
        minor=0,
        total_memory=MEMORY,
        multi_processor_count=1,
        warp_size=32,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def set_device(device: Any) -> None:
    """`torch.cuda.set_device`: a negative number changes nothing."""
    devices.exchange(torch.cuda._utils._get_device_index(device))


_generator = cache(randomness.new)


@cache
def generators(count: int) -> tuple[Any, ...]:
    """One generator for each device, which keeps its own."""
    return tuple(map(_generator, range(count)))


def replacements() -> dict[str, Any]:
    """The names of `torch.cuda` that change while the simulation is on."""

    def nothing(*_: Any, **__: Any) -> None:
        return None

    streams: dict[int, Stream] = {}

    def stream_of(device: Any = None) -> Stream:
        index = devices.number(device)
        return streams.setdefault(index, Stream(index))

    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "_initialized": True,
        "is_current_stream_capturing": lambda: False,
        "is_bf16_supported": lambda including_emulation=True: True,
        "_is_in_bad_fork": lambda: False,
        "device_count": devices.count,
        "current_device": devices.current,
        "set_device": set_device,
        "_exchange_device": devices.exchange,
        "_maybe_exchange_device": lambda index: devices.exchange(index),
        "_lazy_init": nothing,
        "_lazy_call": lambda call, **_: call(),
        "init": nothing,
        "synchronize": nothing,
        "ipc_collect": nothing,
        "empty_cache": nothing,
        "get_device_name": lambda device=None: f"{NAME} {devices.number(device)}",
        "get_device_capability": lambda device=None: (9, 0),
        "get_device_properties": properties,
        "can_device_access_peer": lambda device, peer: True,
        "current_stream": stream_of,
        "default_stream": stream_of,
        "set_stream": nothing,
        "stream": lambda stream: stream,
        "Stream": Stream,
        "Event": Event,
        "default_generators": (),
        "memory_allocated": memory.allocated,
        "max_memory_allocated": memory.most,
        "memory_reserved": memory.allocated,
        "max_memory_reserved": memory.most,
        "reset_peak_memory_stats": memory.reset,
        "mem_get_info": lambda device=None: (MEMORY - memory.allocated(device), MEMORY),
        **legacy_types(),
        # Classes, as on CUDA: libraries write `CUDAGraph | None` in their signatures.
        "CUDAGraph": type("CUDAGraph", (), {"__new__": refuse("CUDA graphs")}),
        "graph": type("graph", (), {"__new__": refuse("CUDA graphs")}),
        "make_graphed_callables": refuse("CUDA graphs"),
    }
