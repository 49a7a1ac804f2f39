"""Swaps Python's global hooks, so that the learner's are active only while the learner's code runs.

Python calls these functions in whatever code imports, warns or collects garbage. An honest file may
set them. Threat: called during the probe's own code, they would see the probe's frames.
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
    """Two functions that swap hooks, and the recursion limit with them.

    The first puts the learner's hooks in place. The second saves them, and puts back the hooks
    that are there now. Lists are changed in place, since Python holds on to the list objects.
    """
    get, put, limit_of, limit = getattr, setattr, sys.getrecursionlimit, sys.setrecursionlimit
    lists, names = LISTS, NAMES
    probes_lists, probes_values = [[*value] for value in lists], [get(*value) for value in names]
    learners_lists, learners_values = [[*value] for value in lists], [*probes_values]
    limits = [limit_of(), limit_of()]

    def restore_learners() -> None:
        for target, entries in zip(lists, learners_lists, strict=True):
            target[:] = entries
        for (owner, name), value in zip(names, learners_values, strict=True):
            put(owner, name, value)
        limit(limits[1])

    def restore_probes() -> None:
        limits[1] = limit_of()
        limit(limits[0])
        for i, target in enumerate(lists):
            learners_lists[i] = [*target]
            target[:] = probes_lists[i]
        for i, (owner, name) in enumerate(names):
            learners_values[i] = get(owner, name)
            put(owner, name, probes_values[i])

    return restore_learners, restore_probes
