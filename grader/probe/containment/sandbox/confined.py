"""One probe of untrusted code, and the isolation level that it ran at."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.probe.containment.child import Sandbox
from grader.probe.containment.limits import Limits
from grader.probe.containment.sandbox.levels import Level, require
from grader.probe.containment.sandbox.profiles import KernelSandbox, ProcessSandbox
from grader.probe.containment.supervisor import probe_in_child
from grader.probe.tasks import Task
from grader.schema import Evidence


@dataclass(frozen=True)
class Confined:
    """The evidence of a probe, and the isolation level that it ran at."""

    evidence: Evidence
    isolation: Level


def probe_confined(task: Task, limits: Limits, level: Level) -> Confined:
    """The evidence of `task`, however hostile its code is.

    The probe is a fork of the calling process. So that process should run no threads, and should
    not have read a solution: code can search its memory. It may be a worker, but not a `daemon` of
    `multiprocessing`, which must not have children.

    Args:
        task: what to probe.
        limits: what it may use.
        level: the least that must keep it; the best there is will.

    Raises:
        IsolationError: this system does not reach `level`.
        RefusedError: nothing can be said about the learner's code.
    """
    reached = require(level)
    with _scratch() as scratch:
        files = task.readable
        sandbox: Sandbox = ProcessSandbox(scratch, files)
        if reached > Level.PROCESS:
            sandbox = KernelSandbox(scratch, files, whole=reached is Level.FULL)
        return Confined(probe_in_child(task, limits, sandbox), reached)


@contextmanager
def _scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="grader-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
