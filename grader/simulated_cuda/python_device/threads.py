"""The function mode is a thread's own, so each thread of the process turns it on for itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from ..common.patches import Patch
from .calls import CudaNames


class _Thread(threading.local):
    """The function mode of one thread."""

    mode: Any = None


_thread = _Thread()
_original_start = threading.Thread.start


def enter() -> None:
    """Turn this thread's mode on, unless it is."""
    if _thread.mode is None:
        _thread.mode = CudaNames()
        _thread.mode.__enter__()


def leave() -> None:
    """Turn this thread's mode off, if it is on."""
    if _thread.mode is not None:
        _thread.mode.__exit__(None, None, None)
        _thread.mode = None


def _start(thread: threading.Thread) -> None:
    """`Thread.start`, with the mode on in the new thread."""
    run = thread.run

    def run_with_cuda() -> None:
        enter()
        run()

    thread.run = run_with_cuda  # type: ignore[method-assign]
    _original_start(thread)


def patches() -> Iterator[Patch]:
    """Where a thread starts."""
    yield Patch(threading.Thread, "start", _start, "function modes are thread-local")
