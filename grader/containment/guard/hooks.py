"""Takes what the learner's code hooked into Python out again while the probe runs.

Python calls some functions whoever runs: when it imports, warns, or collects garbage. An honest
file sets them for itself; among the probe's frames they would be the learner's code.
"""

from __future__ import annotations

import gc
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

LISTS: tuple[list[Any], ...] = (sys.meta_path, sys.path_hooks, gc.callbacks)
NAMES: tuple[tuple[Any, str], ...] = (
    (sys, "excepthook"),
    (sys, "unraisablehook"),
    (threading, "excepthook"),
    (warnings, "showwarning"),
    (warnings, "formatwarning"),
    (warnings, "_showwarnmsg_impl"),
)


def swapped_hooks() -> tuple[Callable[[], None], Callable[[], None]]:
    """`theirs` and `ours`: put the learner's hooks in place, or those that are there now."""
    get, put, limit_of, limit = getattr, setattr, sys.getrecursionlimit, sys.setrecursionlimit
    lists, names = LISTS, NAMES
    our_lists, our_names = [[*each] for each in lists], [get(*each) for each in names]
    their_lists, their_names = [[*each] for each in lists], [*our_names]
    limits = [limit_of(), limit_of()]

    def theirs() -> None:
        for place, entries in zip(lists, their_lists, strict=True):
            place[:] = entries
        for (owner, name), value in zip(names, their_names, strict=True):
            put(owner, name, value)
        limit(limits[1])

    def ours() -> None:
        limits[1] = limit_of()
        limit(limits[0])
        for i, place in enumerate(lists):
            their_lists[i] = [*place]
            place[:] = our_lists[i]
        for i, (owner, name) in enumerate(names):
            their_names[i] = get(owner, name)
            put(owner, name, our_names[i])

    return theirs, ours
