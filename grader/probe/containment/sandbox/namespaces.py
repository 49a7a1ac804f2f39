"""Linux namespaces: a process without a network or other processes, and with a scratch in memory.

`os.unshare` exists from Python 3.12 on; this is the same call for 3.11. Constants are those of
linux/sched.h.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from pathlib import Path
from typing import NoReturn

from grader.probe.containment.processes import die_with_parent, libc

NEW_MOUNTS, NEW_NAMES, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
EVERYTHING = NEW_MOUNTS | NEW_NAMES | NEW_IPC | NEW_USERS | NEW_PROCESSES | NEW_NETWORK
NO_SETUID_NO_DEVICES = 0b110  # MS_NOSUID | MS_NODEV
_STATUS = struct.Struct("i")  # as `os.waitpid` returns it


def enter(scratch: Path, bytes_in_scratch: int) -> None:
    """Return in a process inside new namespaces; the caller's own process only waits from then on.

    1. `unshare`: new user, mount, network, IPC and UTS namespaces for this process, and a new
       process namespace for its children.
    2. Map this user and group to themselves. The kernel demands `setgroups: deny` before.
    3. Mount a tmpfs of limited size on the scratch folder, which the new mount namespace allows.
    4. Ask for the death signal again: `unshare` changed the credentials, which cleared it.
    5. Fork the first process. It is process 1 of the namespace: when it ends, the kernel kills all
       others in there, whatever they did to escape.
    6. The first forks the second, which returns from here. The learner's code must not be process
       1, which ignores every signal that it has no handler for.
    7. The first writes the second's status into a pipe; the caller's process reads it, and ends
       with the same exit code or signal, so that the parent sees how the probe ended.

    Args:
        scratch: the folder to mount on.
        bytes_in_scratch: what the tmpfs holds.

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
    die_with_parent()
    reader, writer = os.pipe()
    first = _fork()
    if first:
        _end_as_probe(reader, first)
    die_with_parent()
    second = _fork()
    if second:
        _forward_status(writer, second)
    os.close(reader)
    os.close(writer)


def _fork() -> int:
    """`os.fork`, without the handlers that Python and libraries have for after a fork.

    They touch, and so copy, 400 pages. They restore what other threads may have held, and a process
    that could `unshare` has none; `os.fork` made it, so its generators are seeded already.
    """
    child = int(ctypes.PyDLL(None, use_errno=True).fork())  # this loader does not release the GIL
    if child < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"fork: {os.strerror(error)}")
    return child


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _mount_memory(folder: Path, size: int) -> None:
    options = f"size={size},nr_inodes=4096,mode=700".encode()
    where = os.fsencode(folder)
    if libc().mount(b"tmpfs", where, b"tmpfs", NO_SETUID_NO_DEVICES, options):
        error = ctypes.get_errno()
        raise OSError(error, f"mount: {os.strerror(error)}")


def _forward_status(writer: int, child: int) -> NoReturn:
    """In the first process: wait for the second, write its status, exit."""
    os.closerange(0, writer)
    os.closerange(writer + 1, 1_024)
    _, status = os.waitpid(child, 0)
    os.write(writer, _STATUS.pack(status))
    os._exit(0)


def _end_as_probe(reader: int, child: int) -> NoReturn:
    """In the caller's process: end with the exit code or the signal that the second ended with.

    No status means that the first was killed.
    """
    os.closerange(0, reader)
    os.closerange(reader + 1, 1_024)
    message = os.read(reader, _STATUS.size)
    os.waitpid(child, 0)
    status = _STATUS.unpack(message)[0] if message else signal.SIGKILL
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
