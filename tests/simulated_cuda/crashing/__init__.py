"""Situations in which a device written in C++ could end the process, one file for each theme."""

import importlib
from collections.abc import Callable

from ._make import SITUATIONS

THEMES = ("autograd", "lifetimes", "processes", "exchange", "storages", "wrong_values")


def situations() -> dict[str, Callable[[], None]]:
    """All situations of all themes, by name."""
    for theme in THEMES:
        importlib.import_module(f"crashing.{theme}")
    return SITUATIONS
