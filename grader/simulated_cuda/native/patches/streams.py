"""Streams and events: the bases of `torch.cuda.Stream` and `torch.cuda.Event`, made in Python.

All work is done when a call returns, so a stream is a number and an event is a point in time.
"""

from __future__ import annotations

import contextlib
import importlib.util
import operator
import time
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

import torch

from ...common.patches import Patch
from ..library import functions
from .bindings import c_functions, up_to_nul

CUDA = 1  # c10::DeviceType
# Handles of streams, which look like addresses. 1 and 2 are CUDA's own two default streams.
# c10/cuda/CUDAStream.h
NOT_CUDA = (
    "Expected stream_.device_type() == DeviceType::CUDA to be true, but got false.  (Could this "
    "error message be improved?  If so, please report an enhancement request to PyTorch.)"
)
FIRST, APART = 0x10000000, 0x100


def _id_of(handle: int) -> int:
    """The number of the stream with this handle."""
    return (handle - FIRST) // APART if handle > FIRST else 0


class StreamBase(torch.Stream):
    """`torch._C._CudaStreamBase`: what the class `torch.cuda.Stream` is made from."""

    def __new__(cls, priority: int = 0, **given: Any) -> Any:
        """A stream of the current device, or another object for one that exists."""
        device = torch.device("cuda", functions.current_device())
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
        stream._priority = max(-5, min(0, operator.index(priority)))
        return stream

    _priority: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `__new__` takes the arguments."""

    @property
    def cuda_stream(self) -> int:
        """The handle that CUDA libraries would be given; the default stream's is 0."""
        return FIRST + APART * self.stream_id if self.stream_id else 0

    @property
    def priority(self) -> int:
        """0, or negative for a stream that a GPU would prefer."""
        return self._priority

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The least and the greatest priority, as on an H100."""
        return 0, -5

    def synchronize(self) -> None:
        """Return at once: all work is done."""

    def query(self) -> bool:
        """True: all work is done."""
        return True


def _checked(stream: Any) -> Any:
    """A stream that is given to an event, if it is one of CUDA's (torch/csrc/cuda/Event.cpp)."""
    if not isinstance(stream, torch.Stream):
        raise RuntimeError("expected stream to be a torch.Stream or torch.cuda.Stream object")
    if stream.device.type != "cuda":
        raise RuntimeError(NOT_CUDA)
    return stream


class EventBase(torch.Event):
    """`torch._C._CudaEventBase`: what the class `torch.cuda.Event` is made from."""

    _moment: float | None
    _timing: bool
    _device: torch.device | None

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> Any:
        """An event that is not recorded yet."""
        event = super().__new__(cls, torch.device("cuda"), enable_timing=enable_timing)
        event._moment, event._timing, event._device = None, enable_timing, None
        return event

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: `__new__` takes the arguments."""

    @property
    def device(self) -> torch.device | None:  # type: ignore[override]
        """The device of the stream on which it was recorded first."""
        return self._device

    def record(self, stream: Any = None) -> None:
        """Read the clock.

        Raises:
            RuntimeError: it was recorded on another device before (aten/src/ATen/cuda/CUDAEvent.h).
        """
        device = _checked(torch.cuda.current_stream() if stream is None else stream).device
        before = self._device or device
        if before != device:
            raise RuntimeError(
                up_to_nul(
                    f"Event device {chr(before.index)} does not match recording stream's device "
                    f"{chr(device.index)}."
                )
            )
        self._device, self._moment = device, time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Return at once: the event is in the past."""
        if stream is not None:
            _checked(stream)

    def query(self) -> bool:
        """True: the event is in the past."""
        return True

    def synchronize(self) -> None:
        """Return at once: the event is in the past."""

    @property
    def cuda_event(self) -> int:
        """The handle, 0 until it is recorded."""
        return 0 if self._moment is None else id(self)

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds from this event to another.

        Raises:
            ValueError: one of them was made without `enable_timing=True`, or not recorded.
            RuntimeError: `end` is no event.
        """
        if not isinstance(end, EventBase):
            raise RuntimeError("expected other to be a torch.cuda.Event object")
        if not (self._timing and end._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._moment is None or end._moment is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return float((end._moment - self._moment) * 1000)


@cache
def _module() -> ModuleType:
    """`torch/cuda/streams.py`, executed again over our bases: PyTorch's `Stream` and `Event`."""
    path = torch.cuda.streams.__file__
    spec = importlib.util.spec_from_file_location("torch.cuda.streams", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _our_bases():
        spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _our_bases() -> Iterator[None]:
    """`torch._C._CudaStreamBase` and `_CudaEventBase` are ours inside."""
    bases = {"_CudaStreamBase": StreamBase, "_CudaEventBase": EventBase}
    before = {name: vars(torch._C).get(name) for name in bases}
    vars(torch._C).update(bases)
    try:
        yield
    finally:
        vars(torch._C).update(before)


def _current(device: int) -> tuple[int, int, int]:
    """The current stream of a device: its number, the device and the device type.

    Raises:
        RuntimeError: there is no such device; in the words of c10/cuda/CUDAStream.cpp.
    """
    count = torch.cuda.device_count()
    if not 0 <= device < count:
        raise RuntimeError(f"Device index value {device} is out of index range [0, {count})")
    return functions.current_stream(device), device, CUDA


def _default(device: int) -> tuple[int, int, int]:
    """The default stream of a device, likewise."""
    return 0, *_current(device)[1:]


def _set_current(stream_id: int, device_index: int, device_type: int) -> None:
    """Make a stream current on its device, and that device current, as CUDA does."""
    if device_type != CUDA:
        raise RuntimeError(NOT_CUDA)
    if device_index >= 0:
        functions.set_device(device_index)
    functions.set_stream(device_index, stream_id)


def patches() -> Iterator[Patch]:
    """The classes, and the functions with which `torch/cuda/streams.py` finds current streams."""
    ours = _module()
    for owner in (torch.cuda, torch.cuda.streams):
        for name in ("Stream", "Event", "ExternalStream"):
            yield Patch(owner, name, getattr(ours, name), "their bases are in a CUDA build's C++")
    replacements = {
        "getCurrentStream": _current,
        "getDefaultStream": _default,
        "getCurrentRawStream": functions.current_stream,
        "setStream": _set_current,
        "getStreamFromExternal": lambda address, index: (address, index, CUDA),
        "isCurrentStreamCapturing": lambda: False,
    }
    yield from c_functions(replacements, "torch/cuda/__init__.py asks which stream is current")
