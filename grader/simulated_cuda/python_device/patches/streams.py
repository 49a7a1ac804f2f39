"""Streams and events: all work is done when a call returns, so there is nothing to wait for."""

from __future__ import annotations

import time
from typing import Any

from .. import devices


class Stream:
    """`torch.cuda.Stream`."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device_index = devices.number(device)
        self.device = devices.CUDA[self.device_index]
        self.priority = priority
        self.stream_id = self.cuda_stream = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        """Do nothing: entering changed nothing."""

    def synchronize(self) -> None:
        """Return at once: all work is done."""

    def wait_event(self, event: Any) -> None:
        """Return at once: the event is in the past."""

    def wait_stream(self, stream: Any) -> None:
        """Return at once: its work is done."""

    def query(self) -> bool:
        """True: all work is done."""
        return True

    def record_event(self, event: Any = None) -> Any:
        """Record `event`, or a new one, now."""
        event = event or Event(enable_timing=True)
        event.record(self)
        return event


class Event:
    """`torch.cuda.Event`: a time read from this computer's clock."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self.moment: float | None = None

    def record(self, stream: Any = None) -> None:
        """Read the clock."""
        self.moment = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Return at once: the event is in the past."""

    def synchronize(self) -> None:
        """Return at once: the event is in the past."""

    def query(self) -> bool:
        """True: the event is in the past."""
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to another.

        Raises:
            RuntimeError: one of them was not recorded.
        """
        if self.moment is None or end.moment is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end.moment - self.moment) * 1000


def names() -> dict[str, Any]:
    """The classes and functions of `torch.cuda`, with one stream for each device."""
    streams: dict[int, Stream] = {}

    def stream_of(device: Any = None) -> Stream:
        index = devices.number(device)
        return streams.setdefault(index, Stream(index))

    return {
        "Stream": Stream,
        "Event": Event,
        "current_stream": stream_of,
        "default_stream": stream_of,
        "set_stream": lambda stream: None,
        "stream": lambda stream: stream,
        "is_current_stream_capturing": lambda: False,
    }
