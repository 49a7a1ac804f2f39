"""The isolation levels, and which of them this system reaches."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from enum import IntEnum
from functools import lru_cache
from pathlib import Path

from grader.errors import GraderError
from grader.probe.containment.processes import drop_privileges, nothing_left_over, wait_for_end
from grader.probe.containment.sandbox import landlock, syscalls
from grader.probe.containment.sandbox.profiles import KernelSandbox

PATIENCE = 30.0  # seconds for a trial child, which only sets up the sandbox


class Level(IntEnum):
    """Isolation levels; each includes those before it. docs/isolation.md says what each adds."""

    PROCESS = 1
    FILESYSTEM = 2
    FULL = 3

    def __str__(self) -> str:
        return self.name.lower()


class IsolationError(GraderError):
    """This system cannot keep a probe as well apart as it was asked to."""


@lru_cache(maxsize=1)
def best_level() -> Level:
    """The best level that works here, found by trying."""
    if sys.platform != "linux" or not landlock.version():
        return Level.PROCESS
    if syscalls.can_filter() and _works(Level.FULL):
        return Level.FULL
    return Level.FILESYSTEM if _works(Level.FILESYSTEM) else Level.PROCESS


def require(level: Level) -> Level:
    """The best level that works here.

    Raises:
        IsolationError: it is below `level`.
    """
    reached = best_level()
    if reached < level:
        raise IsolationError(
            f"This system reaches the isolation {reached}, and {level} was asked for. "
            f"docs/isolation.md says what is missing; --isolation {reached} does with less."
        )
    return reached


def _works(level: Level) -> bool:
    with tempfile.TemporaryDirectory() as scratch, nothing_left_over():
        sandbox = KernelSandbox(Path(scratch), (), whole=level is Level.FULL)
        trial = multiprocessing.get_context("fork").Process(target=_try, args=(sandbox,))
        trial.start()
        return wait_for_end(trial, PATIENCE) and trial.exitcode == 0


def _try(sandbox: KernelSandbox) -> None:
    """In a child: exit with 0 if the sandbox can be set up, else with 1 and without a message."""
    try:
        sandbox.enter()
        drop_privileges()
        sandbox.lock_down()
    except BaseException:
        os._exit(1)
