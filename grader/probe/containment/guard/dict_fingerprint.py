"""Tells whether dicts have changed by comparing their memory, without touching what they hold.

Why not compare the values: `d[key] is value` increments a reference count, and so writes to the
object. In a forked process the first write to a page copies it, and reading some thousand names
costs more than the rest of a probe.

How:

1. Of each dict, copy the head of the object: number of entries, version, address of the key table.
2. Up to Python 3.13 each change of a dict gives it another version (PEP 509), so the head is
   enough. From 3.14 on, also copy the table, which holds keys and addresses of values.
3. `changed` compares heads first. Only where the head is the same does the table's address still
   hold a table. All equal is one comparison of bytes; else it finds out which dicts differ.
4. A difference need not be another binding (a set and deleted key, a resized table), so the caller
   compares the values of those dicts and then calls `renew`.

The layout is that of `PyDictObject` in CPython's Include/cpython/dictobject.h, the same from 3.11
to 3.14, but not promised. So `_try_out` tests it on a dict at import; if it does not hold,
`changed` always returns all dicts, which is correct and slow.
"""

from __future__ import annotations

import ctypes
import gc
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

OBJECT = struct.calcsize("nP")  # PyObject_HEAD: ob_refcnt, ob_type
HEAD = struct.Struct("nQPP")  # ma_used, ma_version_tag, ma_keys, ma_values
COUNTS = 16  # bytes: the head of PyDictKeysObject, whose dk_refcnt and dk_version reading changes


class Fingerprints(NamedTuple):
    """Fingerprints of dicts, or of the dicts behind classes' mapping proxies.

    Attributes:
        changed: gives the indices of those that may have changed; all others have not.
        renew: takes the fingerprints at these indices again.
    """

    changed: Callable[[], Sequence[int]]
    renew: Callable[[Iterable[int]], None]


def fingerprints(names: Iterable[Mapping[str, Any]]) -> Fingerprints:
    """Take the fingerprints.

    The result is two closures with all they call in their cells: an object's methods would be
    looked up in a class, where the learner's code could replace them.
    """
    dicts = [*map(_dict_of, names)]
    if not IS_READABLE:
        every = range(len(dicts))
        return Fingerprints(lambda: every, lambda changed: None)
    heads = [*map(_head, dicts)]
    tables = [] if HAS_VERSION else [*map(_table, dicts)]
    recorded: list[Any] = [b"".join(heads), [*map(bytes, tables)]]
    to_bytes, apply, indices, step, table = (
        bytes,
        map,
        range(len(dicts)),
        HEAD.size,
        _table_reader(),
    )
    join = b"".join

    def changed() -> Sequence[int]:
        # Heads first: if the table's address has changed, the old one may be unmapped.
        if join(heads) == recorded[0] and [*apply(to_bytes, tables)] == recorded[1]:
            return ()
        return [i for i in indices if not holds(i)]

    def holds(i: int) -> bool:
        if to_bytes(heads[i]) != recorded[0][i * step : (i + 1) * step]:
            return False
        return not tables or to_bytes(tables[i]) == recorded[1][i]

    def renew(changed: Iterable[int]) -> None:
        recorded[0] = join(heads)
        for i in changed if tables else ():
            tables[i] = table(dicts[i])
            recorded[1][i] = to_bytes(tables[i])

    return Fingerprints(changed, renew)


def _dict_of(names: Mapping[str, Any]) -> Any:
    return gc.get_referents(names)[0] if type(names) is MappingProxyType else names


def _head(names: Any) -> Any:
    return _memory(id(names) + OBJECT, HEAD.size)


def _table(names: Any) -> Any:
    return _table_reader()(names)


def _table_reader() -> Callable[[Any], Any]:
    """A function that maps the memory of a dict's table, without the `COUNTS` bytes at its start.

    `dict.__sizeof__` counts the object and the table, so the difference is the table's size.
    """
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
    """Whether a dict has the expected layout, and whether a change gives it another version."""
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
