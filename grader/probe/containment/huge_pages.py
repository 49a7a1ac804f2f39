"""Puts a process's memory on huge pages, so that each fork of it costs a third.

A fork copies the parent's page tables, and its end frees them. With PyTorch loaded, 40,000 pages of
4 KiB hold what Python and PyTorch have allocated, or some 80 of 2 MiB. A child that writes to one
still copies no more than 4 KiB: the kernel splits the child's own mapping (`do_huge_pmd_wp_page`,
mm/huge_memory.c).
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.probe.containment.processes import libc

COLLAPSE = 25  # MADV_COLLAPSE, linux/mman.h; since Linux 6.1, older ones refuse it
HUGE = 2 * 2**20


def use_huge_pages() -> None:
    """Collapse what was allocated so far; nothing happens where the system cannot.

    It copies all of that once, which costs as much as a dozen forks save.
    """
    if sys.platform != "linux":
        return
    for begin, end in allocated():  # a part that cannot be collapsed stays as it is
        libc().madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), COLLAPSE)


def allocated() -> Iterator[tuple[int, int]]:
    """The addresses of private, writable memory that is no file's and no stack, in huge pages."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, rights, _, _, inode, *name = line.split(maxsplit=5)
        if rights == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            begin, end = (int(address, 16) for address in addresses.split("-"))
            first, last = -(-begin // HUGE) * HUGE, end // HUGE * HUGE
            if first < last:
                yield first, last
