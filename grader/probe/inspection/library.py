"""Tells libraries from the learner's code: code objects by file, classes by when they appeared."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import torch
from torch import nn

_GRADER = str(Path(__file__).parents[2])


def _library_prefixes() -> Iterator[str]:
    """Prefixes of library files: frozen modules, the standard library, site-packages, the grader.

    Both as installed and resolved, as a virtual environment may be reached through a link.
    """
    yield "<frozen "
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [_GRADER, *(entry for entry in sys.path if entry.endswith("site-packages"))]
    for folder in folders:
        yield str(Path(folder)) + "/"
        yield str(Path(folder).resolve()) + "/"


LIBRARY_PREFIXES = tuple(dict.fromkeys(_library_prefixes()))


def is_library(code: CodeType) -> bool:
    """Whether it stands in a file of Python's, of an installed package, or of the grader."""
    return code.co_filename.startswith(LIBRARY_PREFIXES)


def is_learners(cls: type) -> bool:
    """Whether a class came with the learner's code.

    A class can write any name into `__module__`, so it is not trusted as such:

    1. Modules, tensor classes and metaclasses that existed when this module was imported are
       libraries', with all their bases.
    2. Of those that claim a module loaded by then, only immutable ones (built in C) are: Python
       code cannot set that flag.
    3. Of those that claim a module imported later, only those that this module really has under
       their name, if its file is a library's.
    """
    if cls in _KNOWN:
        return False
    if cls.__module__ in _LOADED:
        return not (cls.__flags__ & _IMMUTABLE)
    module = sys.modules.get(cls.__module__)
    file = str(getattr(module, "__file__", None) or "")
    return getattr(module, cls.__name__, None) is not cls or not file.startswith(LIBRARY_PREFIXES)


def _subclasses(cls: type) -> Iterator[type]:
    found: list[type] = type.__subclasses__(cls)
    for subclass in found:
        yield subclass
        yield from _subclasses(subclass)


_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE, CPython's Include/object.h
_LOADED = frozenset(sys.modules)
_ROOTS: tuple[type, ...] = (nn.Module, torch._C.TensorBase, type)
_KNOWN = frozenset(
    base
    for root in _ROOTS
    for cls in (root, *_subclasses(root))
    for base in type.mro(cls if cls is not type else object)  # mixins too
)
