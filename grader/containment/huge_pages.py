"""Collapses a process's memory into pages of 2 MiB, so that its children start and end faster."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from ctypes import c_size_t, c_void_p

from grader.containment.processes import libc

COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1
HUGE = 2 * 2**20


def use_huge_pages() -> None:
    """Put what this process has in memory of its own into pages of 2 MiB, where Linux does that.

    A fork copies the table of all pages, and the end of a process takes it down. With PyTorch that
    is some 40,000 pages of 4 KiB.
    """
    if sys.platform != "linux":
        return
    for begin, end in _own_memory():
        # An older Linux refuses, and all goes on as it would have.
        libc().madvise(c_void_p(begin), c_size_t(end - begin), COLLAPSE)


def _own_memory() -> Iterator[tuple[int, int]]:
    """Start and end addresses of private writable mappings, rounded inwards to huge pages.

    From /proc/self/maps (`man 5 proc`): address range, permissions, offset, device, inode, name.
    """
    with open("/proc/self/maps", "rb") as file:
        lines = file.readlines()
    for line in lines:
        addresses, permissions, _, _, inode, *name = line.split(maxsplit=5)
        if permissions == b"rw-p" and inode == b"0" and name in ([], [b"[heap]\n"]):
            begin, end = (int(address, 16) for address in addresses.split(b"-"))
            begin, end = -(-begin // HUGE) * HUGE, end // HUGE * HUGE
            if begin < end:
                yield begin, end
