"""What is a library's, and what is the learner's: code by its file, classes by when they came."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import torch
from torch import nn

_GRADER = str(Path(__file__).parents[1])


def _places() -> Iterator[str]:
    """What the names of a library's files begin with."""
    yield "<frozen "
    paths = sysconfig.get_paths()
    folders = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [_GRADER, *(entry for entry in sys.path if entry.endswith("site-packages"))]
    for folder in folders:
        yield str(Path(folder)) + "/"
        yield str(Path(folder).resolve()) + "/"


PLACES = tuple(dict.fromkeys(_places()))


def is_library(code: CodeType) -> bool:
    """Whether it stands in a file of Python's, of an installed package, or of the grader."""
    return code.co_filename.startswith(PLACES)


def is_learners(cls: type) -> bool:
    """Whether it came with the learner's code: it was not there before, and no library brought it.

    What a class says of its module is believed only of modules that came later than this one.
    """
    if cls in _KNOWN:
        return False
    if cls.__module__ in _LOADED:
        return not (cls.__flags__ & _IMMUTABLE)
    module = sys.modules.get(cls.__module__)
    file = str(getattr(module, "__file__", None) or "")
    return getattr(module, cls.__name__, None) is not cls or not file.startswith(PLACES)


def _subclasses(cls: type) -> Iterator[type]:
    found: list[type] = type.__subclasses__(cls)
    for each in found:
        yield each
        yield from _subclasses(each)


_IMMUTABLE = 1 << 8
_LOADED = frozenset(sys.modules)
_ROOTS: tuple[type, ...] = (nn.Module, torch._C.TensorBase, type)
_KNOWN = frozenset(
    base
    for root in _ROOTS
    for cls in (root, *_subclasses(root))
    for base in type.mro(cls if cls is not type else object)  # mixins too
)
