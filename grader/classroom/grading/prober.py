"""Probes for one worker, in a process that has never seen an answer.

A forked probe is a copy of the process that starts it, and a learner's code can search all of its
memory. The worker has read solutions to judge by; so it has another process start the probes, one
that was forked before and reads nothing but what learners handed in.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock

from grader.probe import IsolationError, Level, Limits, probe_confined
from grader.schema import Evidence, Input, Recipe

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Task

# Every try of a probe may take its whole time, and the process that starts them some of its own.
PATIENCE = 3 * Limits().seconds + 120
MANY = 5  # probes; as many as huge pages must make cheaper to be worth their own cost
REHEARSAL = Path(__file__).with_name("rehearsal.py")


@dataclass(frozen=True)
class Probed:
    """What a probe came to.

    Attributes:
        evidence: None if nothing can be said about the learner's code; then `refused` says why.
        isolation: the level that was reached.
        seconds: CPU seconds.
    """

    evidence: Evidence | None
    isolation: str
    seconds: float
    refused: str = ""


Probe = Callable[["Task"], Probed]


@contextmanager
def prober(device: DeviceChoice, level: Level) -> Iterator[Probe]:
    """What probes a task: a process of its own where probes are forked, else this one.

    It is killed if it does not answer in time. Then, as when it is killed from outside, probing
    raises EOFError or OSError, and the worker has to end.
    """
    from grader.probe import how_to_start, killed_after

    context = how_to_start()
    if context.get_start_method() != "fork":
        yield lambda task: _probe(task, level)
        return
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, ours, device, level, os.getpid()))
    process.start()
    theirs.close()

    turn = FileLock(Path(tempfile.gettempdir(), "gpu.lock")) if device == "cuda" else nullcontext()

    def probe(task: Task) -> Probed:
        # One at a time on a GPU; a worker that dies lets go of it.
        with turn, killed_after(process, PATIENCE):
            ours.send(task)
            return msgspec.json.decode(ours.recv_bytes(), type=Probed)

    try:
        yield probe
    finally:
        process.kill()
        process.join()


def _serve(
    connection: Connection, not_mine: Connection, device: DeviceChoice, level: Level, parent: int
) -> None:
    from grader.probe import die_with_parent, use_huge_pages

    not_mine.close()
    die_with_parent()
    if os.getppid() != parent:  # it died before it could be asked for
        return
    if device == "simulated":  # a real one must not be touched before the fork
        _warm_up()
    with suppress(EOFError, OSError):
        for number in count():
            task = connection.recv()
            if number == MANY:
                use_huge_pages()
            connection.send_bytes(msgspec.json.encode(_probe(task, level)))


def _warm_up() -> None:
    from grader.probe import Exercise, warm_up

    recipe = Recipe(arguments={}, inputs=(Input((4, 3)),), thorough=True)
    warm_up(Exercise(REHEARSAL, "Rehearsal", 0, "simulated", recipe))


def _probe(task: Task, level: Level) -> Probed:
    from grader.probe import RefusedError

    before = cpu_seconds()
    try:
        confined = probe_confined(task, Limits(), level)
    except (RefusedError, IsolationError) as error:
        return Probed(None, "none", cpu_seconds() - before, str(error))
    return Probed(confined.evidence, str(confined.isolation), cpu_seconds() - before)


def cpu_seconds() -> float:
    """What this process and its ended children have used so far."""
    return sum(os.times()[:4])
