"""Linux process control that Python lacks: death signals, subreapers, capabilities.

Numbers are those of linux/prctl.h and linux/capability.h.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
SET_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
GET_SUBREAPER = 37  # PR_GET_CHILD_SUBREAPER
SET_NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS
CAPABILITY_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3
MOST_ROUNDS = 1_000


def prctl(option: int, value: int | ctypes.Array[ctypes.c_int]) -> None:
    """Call `prctl(2)`.

    Raises:
        OSError: the system refuses.
    """
    if libc().prctl(option, value, 0, 0, 0):
        error = ctypes.get_errno()
        raise OSError(error, f"prctl({option}): {os.strerror(error)}")


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Ask Linux for SIGKILL when the parent ends (PR_SET_PDEATHSIG); elsewhere do nothing.

    A change of user or capabilities clears it, and a child does not inherit it.
    """
    if sys.platform == "linux":
        prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


def drop_privileges() -> None:
    """Drop all capabilities for good, on Linux; on other systems, do not grade as root."""
    if sys.platform == "linux":
        prctl(SET_NO_NEW_PRIVILEGES, 1)
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
        libc().capset(header, (ctypes.c_uint32 * 6)())


@contextmanager
def end_of(child: BaseProcess) -> Iterator[int]:
    """A descriptor that `multiprocessing.connection.wait` reports when `child` has ended.

    `child.sentinel` does not do: it is a pipe, and is ready as soon as the child closes its end. So
    `child.join(seconds)`, which waits for the sentinel and then for the process, may hang.
    """
    if not hasattr(os, "pidfd_open"):
        yield child.sentinel
        return
    descriptor = os.pidfd_open(child.pid or 0)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def wait_for_end(child: BaseProcess, seconds: float) -> bool:
    """Wait until `child` has ended, but no longer than `seconds`; whether it has."""
    if not child.is_alive():
        return True
    with end_of(child) as end:
        return bool(wait([end], seconds))


@contextmanager
def nothing_left_over() -> Iterator[None]:
    """On exit, kill every descendant that the processes started inside have left running.

    A daemon escapes its session and its parent. So this process becomes a subreaper
    (PR_SET_CHILD_SUBREAPER): orphaned descendants become its children, and at the end all children
    that were not there before are killed, again and again, as a fork bomb goes on meanwhile.
    """
    if sys.platform != "linux":
        yield
        return
    before, was_reaper = _children(), (ctypes.c_int * 1)()
    prctl(GET_SUBREAPER, was_reaper)
    prctl(SET_SUBREAPER, 1)
    try:
        yield
    finally:
        for _ in range(MOST_ROUNDS):
            left = _children() - before
            if not left:
                break
            for child in left:
                _end(child)
        prctl(SET_SUBREAPER, was_reaper[0])


def _children() -> set[int]:
    """The processes whose parent this one is."""
    found: set[int] = set()
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{thread}/children", "rb") as file:
            found.update(map(int, file.read().split()))
    return found


def _end(child: int) -> None:
    with suppress(OSError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
