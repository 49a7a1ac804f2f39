"""Tells whether closures still hold what they held.

Threat: a decorated function, such as one of `contextlib.contextmanager`, keeps the original in a
cell, and a generated method, such as a dataclass's, what it calls. Who puts something else there
changes what a function does, while every name is bound to the same function as before.

Nothing is read through Python, which would write to reference counts (see `dict_fingerprint`): a
cell is an object's head and a pointer to what it holds (CPython's Include/cpython/cellobject.h).
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable, Iterable, Iterator
from types import CellType, FunctionType, ModuleType
from typing import Any

from grader.probe.containment.guard.dict_fingerprint import OBJECT

POINTER = struct.calcsize("P")


def watched_cells(values: Iterable[tuple[str, Any]]) -> Callable[[], str]:
    """A function that returns the first name whose function holds something else, or `""`.

    Args:
        values: by name, what may be a function, or hold one as a property does.
    """
    found = list(_cells(values))
    names = tuple(name for name, _ in found)
    cells = tuple(cell for _, cell in found)
    if not IS_READABLE:
        return _compared(names, cells)
    pointers = [(ctypes.c_char * POINTER).from_address(id(cell) + OBJECT) for cell in cells]
    join, size, to_bytes, each = b"".join, POINTER, bytes, enumerate
    recorded = join(pointers)

    def changed() -> str:
        if join(pointers) == recorded:
            return ""
        for i, pointer in each(pointers):
            if to_bytes(pointer) != recorded[i * size : (i + 1) * size]:
                return names[i]
        return ""

    vars(changed)["alive"] = cells  # else the memory may be another object's
    return changed


def functions_in(value: Any) -> Iterator[FunctionType]:
    """The functions that a value is or calls: a property's, a method's, a cached function's."""
    waiting, seen = [value], set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            yield value
            waiting += [cell.cell_contents for cell in value.__closure__ or () if _is_full(cell)]
        elif isinstance(value, staticmethod | classmethod):
            waiting.append(value.__func__)
        elif isinstance(value, property):
            waiting += [value.fget, value.fset, value.fdel]
        elif isinstance(value, functools.cached_property):
            waiting.append(value.func)
        elif isinstance(value, functools._lru_cache_wrapper):
            waiting.append(value.__wrapped__)


def _cells(values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, CellType]]:
    """The cells that hold what does not change; with `nonlocal`, a function may count in one."""
    seen: set[int] = set()
    for name, value in values:
        for function in functions_in(value):
            for cell in function.__closure__ or ():
                if id(cell) not in seen and _is_full(cell) and _is_fixed(cell.cell_contents):
                    seen.add(id(cell))
                    yield name, cell


def _is_fixed(value: Any) -> bool:
    return callable(value) or isinstance(value, tuple | frozenset | str | ModuleType)


def _is_full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # a name that is not bound yet
        return False


def _compared(names: tuple[str, ...], cells: tuple[CellType, ...]) -> Callable[[], str]:
    held = tuple(cell.cell_contents for cell in cells)
    pairs = zip

    def changed() -> str:
        for name, cell, value in pairs(names, cells, held):
            if cell.cell_contents is not value:
                return name
        return ""

    return changed


def _try_out() -> bool:
    """Whether a cell has the expected layout."""
    held = object()
    cell = CellType(held)
    if CellType.__basicsize__ != OBJECT + POINTER:
        return False
    where = (ctypes.c_char * POINTER).from_address(id(cell) + OBJECT)
    return bytes(where) == struct.pack("P", id(held))


IS_READABLE = _try_out()
