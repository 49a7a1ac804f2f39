"""Finds threads and timers that the learner's code left running.

Threat: such a thread changes names or tensors while the probe compares them.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable
from typing import Any

from grader.probe.inspection.library import LIBRARY_PREFIXES


def watch_for_threads(*known: int | None) -> Callable[[], str]:
    """A function that says what still runs of the learner's, in words; `""` if nothing.

    A thread is the learner's if any of its frames is not a library's.

    Args:
        known: the identifiers of the probe's and the learner's own threads.
    """
    frames_of, threads, timer, library_prefixes = (
        sys._current_frames,
        threading.enumerate,
        threading.Timer,
        LIBRARY_PREFIXES,
    )
    # Also those that `_thread` starts, which `threading` does not know.
    count, is_a, begins_with = _thread._count, isinstance, str.startswith
    alone = count()

    def running() -> str:
        if count() == alone:
            return ""
        for thread in threads():
            if is_a(thread, timer):
                return "a timer"
        for number, frame in frames_of().items():
            if number not in known and is_learners(frame):
                return "a thread"
        return ""

    def is_learners(frame: Any) -> bool:
        while frame is not None:
            if not begins_with(frame.f_code.co_filename, library_prefixes):
                return True
            frame = frame.f_back
        return False

    return running
