"""Threads that a learner's code leaves running, to change things later."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from grader.inspection.library import PLACES


def left_running(*known: int) -> Callable[[], str]:
    """A function that tells what of the learner's still runs, in words; `""` if nothing does.

    A library's own threads are no concern.

    Args:
        known: the identifiers of threads that are ours.
    """
    frames_of, threads, timer, places = (
        sys._current_frames,
        threading.enumerate,
        threading.Timer,
        PLACES,
    )
    count, is_a, begins_with = threading.active_count, isinstance, str.startswith
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
            if not begins_with(frame.f_code.co_filename, places):
                return True
            frame = frame.f_back
        return False

    return running
