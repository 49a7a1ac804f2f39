"""Namespaces: a process with no network, no other processes, and a file system in memory.

`os.unshare` is there from Python 3.12 on; this is the same call for 3.11.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from pathlib import Path
from typing import NoReturn

from grader.containment.processes import die_with_parent, libc

NEW_MOUNTS, NEW_NAMES, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
EVERYTHING = NEW_MOUNTS | NEW_NAMES | NEW_IPC | NEW_USERS | NEW_PROCESSES | NEW_NETWORK
NO_SETUID_NO_DEVICES = 0b110
_STATUS = struct.Struct("i")


def enter(scratch: Path, bytes_in_scratch: int) -> None:
    """Go on in a process of new namespaces, the second of its own: the first only waits for it.

    When the second ends, the first ends, and with it all that were started there. The process that
    called waits as well, and ends as the second did.

    Raises:
        OSError: the system refuses.
    """
    user, group = os.getuid(), os.getgid()
    if libc().unshare(EVERYTHING):
        error = ctypes.get_errno()
        raise OSError(error, f"unshare: {os.strerror(error)}")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount_memory(scratch, bytes_in_scratch)
    die_with_parent()  # new privileges, be they only in there, took that back
    reader, writer = os.pipe()
    first = os.fork()
    if first:
        _end_as_told(reader, first)
    die_with_parent()
    second = os.fork()
    if second:
        _wait_and_tell(writer, second)
    os.close(reader)
    os.close(writer)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _mount_memory(folder: Path, size: int) -> None:
    options = f"size={size},nr_inodes=4096,mode=700".encode()
    where = os.fsencode(folder)
    if libc().mount(b"tmpfs", where, b"tmpfs", NO_SETUID_NO_DEVICES, options):
        error = ctypes.get_errno()
        raise OSError(error, f"mount: {os.strerror(error)}")


def _wait_and_tell(writer: int, child: int) -> NoReturn:
    """The first process of the new namespaces, which no signal from inside can end."""
    os.closerange(0, writer)
    os.closerange(writer + 1, 1_024)
    _, status = os.waitpid(child, 0)
    os.write(writer, _STATUS.pack(status))
    os._exit(0)


def _end_as_told(reader: int, child: int) -> NoReturn:
    """End with the exit code or by the signal that the probing process ended with."""
    os.closerange(0, reader)
    os.closerange(reader + 1, 1_024)
    told = os.read(reader, _STATUS.size)
    os.waitpid(child, 0)
    status = _STATUS.unpack(told)[0] if told else signal.SIGKILL
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
