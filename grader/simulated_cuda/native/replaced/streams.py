"""Streams and events. All work is done when a call returns, so they are numbers and moments."""

from __future__ import annotations

import importlib.util
import time
from types import ModuleType
from typing import Any

import torch

CUDA = 1  # c10::DeviceType
# Handles of streams, which look like addresses. 1 and 2 are CUDA's own two default streams.
FIRST, APART = 0x10000000, 0x100


def _id_of(handle: int) -> int:
    """The number of the stream with this handle."""
    return (handle - FIRST) // APART if handle > FIRST else 0


class StreamBase(torch.Stream):
    """`torch._C._CudaStreamBase`: what the class `torch.cuda.Stream` is made from."""

    def __new__(cls, priority: int = 0, **given: Any) -> Any:
        """A stream of the current device, or another object for one that exists."""
        device = torch.device("cuda", torch.ops.simulated_cuda.current_device())
        if "stream_ptr" in given:  # `torch.cuda.ExternalStream`, which DLPack makes from a handle
            number = _id_of(given["stream_ptr"])
            stream = super().__new__(
                cls, stream_id=number, device_index=device.index, device_type=CUDA
            )
        elif given:  # of a stream that exists
            index, kind = given["device_index"], given["device_type"]
            stream = super().__new__(
                cls, stream_id=given["stream_id"], device_index=index, device_type=kind
            )
        else:
            stream = super().__new__(cls, device)
        stream._priority = max(-5, min(0, priority))
        return stream

    _priority: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Everything is done in `__new__`."""

    @property
    def cuda_stream(self) -> int:
        """The handle that CUDA libraries would be given; the default stream's is 0."""
        return FIRST + APART * self.stream_id if self.stream_id else 0

    @property
    def priority(self) -> int:
        """0, or negative for a stream that would go first."""
        return self._priority

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The least and the greatest priority, as on an H100."""
        return 0, -5

    def synchronize(self) -> None:
        """All is done already."""

    def query(self) -> bool:
        """All is done already."""
        return True


class EventBase(torch.Event):
    """`torch._C._CudaEventBase`: what the class `torch.cuda.Event` is made from."""

    _moment: float | None
    _timing: bool

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Any:
        """An event that is not recorded yet."""
        event = super().__new__(cls, torch.device("cuda"), enable_timing=enable_timing)
        event._moment, event._timing = None, enable_timing
        return event

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Everything is done in `__new__`."""

    def record(self, stream: Any = None) -> None:
        """Take the time."""
        self._moment = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """It has happened already."""

    def query(self) -> bool:
        """It has happened already."""
        return True

    def synchronize(self) -> None:
        """It has happened already."""

    @property
    def cuda_event(self) -> int:
        """The handle, 0 until it is recorded."""
        return 0 if self._moment is None else id(self)

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds from this event to another.

        Raises:
            ValueError: one of them was made without `enable_timing=True`, or not recorded.
        """
        if not (self._timing and end._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._moment is None or end._moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return float((end._moment - self._moment) * 1000)


def module() -> ModuleType:
    """`torch/cuda/streams.py` once more, over these bases: PyTorch's own `Stream` and `Event`."""
    path = torch.cuda.streams.__file__
    spec = importlib.util.spec_from_file_location("torch.cuda.streams", path)
    assert spec is not None
    assert spec.loader is not None
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    return again
