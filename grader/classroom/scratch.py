"""Folders for what a batch writes on the way, and the removal of those that killed batches left.

Each folder holds a locked file. The system releases the lock with the process, however that ends,
so whoever can lock the file knows that the folder has no owner. Process numbers would not tell:
they are used again, and mean something else in another container with the same `/tmp`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from filelock import FileLock, Timeout

PREFIX = "grader-"
LOCK = ".owner"
JUST_MADE = 1.0  # seconds; a folder may not be locked yet
OUTLIVES_ANY_PROBE = 3600.0  # seconds; a probe's own folder has no lock


class Scratch:
    """A folder that is this process's until `remove`, or until nobody refers to it.

    Attributes:
        name: its path.
    """

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix=PREFIX)
        lock = FileLock(Path(self.name, LOCK))
        lock.acquire()
        self.remove = finalize(self, _remove, self.name, lock, os.getpid())


def _remove(name: str, lock: FileLock, owner: int) -> None:
    if os.getpid() == owner:  # and no fork of it
        lock.release()
        shutil.rmtree(name, ignore_errors=True)


def sweep() -> int:
    """Remove the folders whose owners are gone; how many there were."""
    found = Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
    return sum(_remove_if_abandoned(folder) for folder in found)


def _remove_if_abandoned(folder: Path) -> bool:
    with suppress(OSError):
        status = folder.lstat()
        is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        is_folder = folder.is_dir() and not folder.is_symlink()
        if is_ours and is_folder and _is_abandoned(folder, time.time() - status.st_mtime):
            shutil.rmtree(folder, ignore_errors=True)
            return True
    return False


def _is_abandoned(folder: Path, age: float) -> bool:
    """Whether nobody uses a folder that was last changed `age` seconds ago."""
    lock = folder / LOCK
    if not lock.is_file():
        return age > OUTLIVES_ANY_PROBE
    if age < JUST_MADE:
        return False
    try:
        with FileLock(lock, timeout=0):
            return True
    except Timeout:
        return False
