"""Threads that a learner's code leaves running, to change things later."""

from __future__ import annotations

import sys
import threading
from types import FrameType

from grader.probe.guard.library import is_library

_current_frames = sys._current_frames
_this_thread = threading.get_ident
_all_threads = threading.enumerate


def left_running() -> str:
    """What still runs, in words; `""` if nothing does. A library's own threads are no concern."""
    if any(isinstance(thread, threading.Timer) for thread in _all_threads()):
        return "a timer was left running"
    this = _this_thread()
    for number, frame in _current_frames().items():
        if number != this and _is_foreign(frame):
            return "a thread was left running"
    return ""


def _is_foreign(frame: FrameType | None) -> bool:
    while frame is not None:
        if not is_library(frame.f_code):
            return True
        frame = frame.f_back
    return False
