"""A limit on the size of a probe's scratch folder, where that is not a file system of its own.

RLIMIT_FSIZE limits the size of one file, not their sum: many files filled the disk, and the batch
could not write its results. So a timer measures the folder four times a second, and kills the probe
if it is too large. Between two measurements the folder may grow beyond the limit.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

MOST_BYTES = 256 * 2**20
MOST_FILES = 4096
SECONDS_BETWEEN_LOOKS = 0.25


@dataclass
class Quota:
    """The result of watching a folder.

    Attributes:
        is_used_up: whether a measurement has found too much.
    """

    folder: Path
    is_used_up: bool = False


@contextmanager
def quota(folder: Path) -> Iterator[Quota]:
    """Kill the processes that are started inside when `folder` holds too much.

    It takes the process's `SIGALRM`. Elsewhere than in the main thread of a Unix there is no limit.
    """
    looked_at = Quota(folder)
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield looked_at
        return
    before = {child.pid for child in multiprocessing.active_children()}
    parent = os.getpid()

    def look(_signal: int, _frame: FrameType | None) -> None:
        if os.getpid() == parent and holds_too_much(folder):  # a fork takes the handler along
            for child in multiprocessing.active_children():
                if child.pid not in before:  # not SIGKILL at once: that is taken for the system's
                    child.kill() if looked_at.is_used_up else child.terminate()
            looked_at.is_used_up = True

    handler = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS)
    try:
        yield looked_at
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def holds_too_much(folder: Path) -> bool:
    """Whether there are more files or bytes below a folder than it may hold."""
    size, waiting, files = 0, [os.fspath(folder)], 0
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                files += 1
                with suppress(OSError):
                    size += 512 * entry.stat(follow_symlinks=False).st_blocks
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if size > MOST_BYTES or files > MOST_FILES:
                    return True
    return False
