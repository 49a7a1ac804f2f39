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
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

OBJECT = struct.calcsize("nP")  # references and type
HEAD = struct.Struct("nQPP")  # entries, version, where the table is, where split values are
COUNTS = 16  # what a table begins with, and Python changes when it only reads


class Imprints(NamedTuple):
    """The memory of dicts, or of classes' names, when it was taken.

    Attributes:
        changed: which of them, by their places, may have changed since; the others have not.
        renew: takes those again; the others must not have changed.
    """

    changed: Callable[[], Sequence[int]]
    renew: Callable[[Iterable[int]], None]


def imprints(names: Iterable[Mapping[str, Any]]) -> Imprints:
    """Take them now.

    Two functions and no object: no name that can be bound again stands between them and the memory.
    """
    dicts = [*map(_dict_of, names)]
    if not IS_READABLE:
        every = range(len(dicts))
        return Imprints(lambda: every, lambda changed: None)
    heads = [*map(_head, dicts)]
    tables = [] if HAS_VERSION else [*map(_table, dicts)]
    were: list[Any] = [b"".join(heads), [*map(bytes, tables)]]
    to_bytes, apply, places, step, table = bytes, map, range(len(dicts)), HEAD.size, _table_reader()
    join = b"".join

    def changed() -> Sequence[int]:
        # Heads first: where a table was, there may be no memory of ours any longer.
        if join(heads) == were[0] and [*apply(to_bytes, tables)] == were[1]:
            return ()
        return [i for i in places if not holds(i)]

    def holds(i: int) -> bool:
        if to_bytes(heads[i]) != were[0][i * step : (i + 1) * step]:
            return False
        return not tables or to_bytes(tables[i]) == were[1][i]

    def renew(changed: Iterable[int]) -> None:
        were[0] = join(heads)
        for i in changed if tables else ():
            tables[i] = table(dicts[i])
            were[1][i] = to_bytes(tables[i])

    return Imprints(changed, renew)


def _dict_of(names: Mapping[str, Any]) -> Any:
    return gc.get_referents(names)[0] if type(names) is MappingProxyType else names


def _head(names: Any) -> Any:
    return _memory(id(names) + OBJECT, HEAD.size)


def _table(names: Any) -> Any:
    return _table_reader()(names)


def _table_reader() -> Callable[[Any], Any]:
    """Gives where a dict keeps its keys and what they are bound to."""
    unpack, size_of, smallest, skipped = HEAD.unpack, dict.__sizeof__, dict.__basicsize__, COUNTS
    address, start, char, largest = id, OBJECT, ctypes.c_char, max
    head = char * HEAD.size

    def read(names: Any) -> Any:
        _, _, where, _ = unpack(head.from_address(address(names) + start))
        size = largest(size_of(names) - smallest - skipped, 0)
        return (char * size).from_address(where + skipped)

    return read


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
