"""Ends a process at SIGTERM as at Ctrl-C, so that it can report what it has."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt in the block, if nobody else handles it.

    A fork begins without the handler, and so dies of the signal as it would: CPython forgets a
    signal that reaches a handler in Python before the child is set up.
    """
    _watch_forks()
    _exchange(signal.SIG_DFL, _interrupt)
    try:
        yield
    finally:
        _exchange(_interrupt, signal.SIG_DFL)


@cache
def _watch_forks() -> None:
    was_on: list[bool] = []

    def before() -> None:
        was_on.append(_exchange(_interrupt, signal.SIG_DFL))

    def after() -> None:
        if was_on.pop():
            _exchange(signal.SIG_DFL, _interrupt)

    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(before=before, after_in_parent=after)


def _exchange(old: Any, new: Any) -> bool:
    """Whether `old` handled SIGTERM, and now `new` does: another thread may not set it."""
    is_main = threading.current_thread() is threading.main_thread()
    is_old = is_main and signal.getsignal(signal.SIGTERM) is old
    if is_old:
        signal.signal(signal.SIGTERM, new)
    return is_old


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt
