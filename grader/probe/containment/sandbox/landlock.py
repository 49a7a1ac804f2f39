"""Landlock: a process gives up, for good, all files outside of those that it names.

The three system calls of `man 7 landlock`, by number, with constants of linux/landlock.h. The one
Python package that wraps them knows files only, and neither sockets nor signals.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from grader.probe.containment.processes import SET_NO_NEW_PRIVILEGES, libc, prctl

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
READ = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
# What each version of Landlock can keep away: files, then moving them, truncating, ioctl.
FILES = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
TCP_SINCE, BIND_AND_CONNECT = 4, 0b11
SCOPES_SINCE, SIGNALS_AND_ABSTRACT_SOCKETS = 6, 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def version() -> int:
    """Landlock's version, 0 where there is none."""
    return max(0, int(libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)))


def restrict(
    readable: Iterable[Path], writable: Iterable[Path], listable: Iterable[Path] = ()
) -> None:
    """Restrict this process, and all that it starts, to these files and folders.

    From ABI version 4 on it also gives up TCP, from 6 on signals to other processes.

    Args:
        readable: files, or folders with all below them, to read and execute.
        writable: likewise, to write as well.
        listable: folders in which, and below which, it may list names but read nothing.

    Raises:
        OSError: the system refuses.
    """
    now = version()
    files = sum(rights for since, rights in FILES.items() if now >= since)
    attributes = _Ruleset(
        files=files,
        tcp=BIND_AND_CONNECT if now >= TCP_SINCE else 0,
        scoped=SIGNALS_AND_ABSTRACT_SOCKETS if now >= SCOPES_SINCE else 0,
    )
    # Of `struct landlock_ruleset_attr` in that version.
    size = 24 if now >= SCOPES_SINCE else 16 if now >= TCP_SINCE else 8
    ruleset = _call(CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    try:
        rules = ((READ, readable), (files & ~EXECUTE, writable), (READ_DIR, listable))
        for rights, paths in rules:
            for path in paths:
                _allow(ruleset, path, rights & files)
        prctl(SET_NO_NEW_PRIVILEGES, 1)
        _call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH)
    except OSError:  # what is not there needs no rule
        return
    try:
        allowed = rights if path.is_dir() else rights & OF_A_FILE
        rule = _PathBeneath(allowed, descriptor)
        _call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    result = int(libc().syscall(number, *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"landlock: {os.strerror(error)}")
    return result
