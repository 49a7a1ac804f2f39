"""A limit on the size of a probe's scratch folder, where that is not a file system of its own.

RLIMIT_FSIZE limits the size of one file, not their sum: many files filled the disk, and the batch
could not write its results. So whoever waits for the probe measures the folder four times a
second, and before it takes the last evidence. In between the folder may grow beyond the limit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from grader.probe.containment.channel import FullError

MOST_BYTES = 256 * 2**20
MOST_FILES = 4096


def require_room(folder: Path) -> None:
    """Raise FullError if a folder holds too much."""
    if holds_too_much(folder):
        raise FullError("it filled its folder")


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
