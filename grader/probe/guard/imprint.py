"""Whether dicts are still, byte for byte, what they were.

To compare what names are bound to, Python takes hold of each object, and so writes to it. In a
forked process the first write to a page copies it, and to look at some thousand names costs more
than the rest of a probe. The memory of a dict tells as much, and nothing that it holds is touched:
up to Python 3.13 a version that every change makes another (PEP 509), later the keys and addresses.

CPython lays out a dict as cpython/dictobject.h says, the same from 3.11 to 3.14, but promises
nothing. So it is tried out on one of ours; where it is another, all may always have changed.
"""

from __future__ import annotations

import ctypes
import gc
import struct
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

OBJECT = struct.calcsize("nP")  # references and type
HEAD = struct.Struct("nQPP")  # entries, version, where the table is, where split values are
COUNTS = 16  # what a table begins with, and Python changes when it only reads


class Imprints:
    """The memory of dicts, or of classes' names, when it was taken."""

    def __init__(self, names: Iterable[Mapping[str, Any]]) -> None:
        self._dicts = [*map(_dict_of, names)]
        self._heads = [*map(_head, self._dicts)] if IS_READABLE else []
        self._tables = [*map(_table, self._dicts)] if IS_READABLE and not HAS_VERSION else []
        self._heads_were, self._tables_were = b"".join(self._heads), [*map(bytes, self._tables)]

    def changed(self) -> Sequence[int]:
        """Which of them, by their places, may have changed since; the others have not."""
        every = range(len(self._dicts))
        if not IS_READABLE:
            return every
        # Heads first: where a table was, there may be no memory of ours any longer.
        heads_hold = b"".join(self._heads) == self._heads_were
        if heads_hold and [*map(bytes, self._tables)] == self._tables_were:
            return ()
        return [i for i in every if not self._holds(i)]

    def renew(self, changed: Iterable[int]) -> None:
        """Take those again; the others must not have changed."""
        self._heads_were = b"".join(self._heads)
        for i in changed if self._tables else ():
            self._tables[i] = _table(self._dicts[i])
            self._tables_were[i] = bytes(self._tables[i])

    def _holds(self, i: int) -> bool:
        head = self._heads_were[i * HEAD.size : (i + 1) * HEAD.size]
        if bytes(self._heads[i]) != head:
            return False
        return not self._tables or bytes(self._tables[i]) == self._tables_were[i]


def _dict_of(names: Mapping[str, Any]) -> Any:
    return gc.get_referents(names)[0] if type(names) is MappingProxyType else names


def _head(names: Any) -> Any:
    return _memory(id(names) + OBJECT, HEAD.size)


def _table(names: Any) -> Any:
    """Where a dict keeps its keys and what they are bound to."""
    _, _, where, _ = HEAD.unpack(_head(names))
    size = names.__sizeof__() - dict.__basicsize__
    return _memory(where + COUNTS, max(size - COUNTS, 0))


def _memory(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


def _try_out() -> tuple[bool, bool]:
    """Whether a dict of ours lies in memory as expected, and has a version."""
    before, after = object(), object()
    tried = {"name": before}
    if dict.__basicsize__ != OBJECT + HEAD.size:
        return False, False
    head = bytes(_head(tried))
    entries, _, _, values = HEAD.unpack(head)
    if entries != 1 or values:
        return False, False
    table = _table(tried)
    shown = struct.pack("P", id(before)) in bytes(table)
    tried["name"] = after
    return shown and struct.pack("P", id(after)) in bytes(table), bytes(_head(tried)) != head


IS_READABLE, HAS_VERSION = _try_out()
