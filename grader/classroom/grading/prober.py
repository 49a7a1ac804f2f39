"""Probes for one worker, in a process that has never seen an answer.

A forked probe is a copy of the process that starts it, and a learner's code can search all of its
memory. The worker has read solutions to judge by; so it has another process start the probes, one
that was forked before and reads nothing but what learners handed in.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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
WARM_UP = Path(__file__).with_name("warm_up.py")


@dataclass(frozen=True)
class ProbeResult:
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

    @property
    def timed_out(self) -> bool:
        return self.evidence is not None and self.evidence.ending == "timeout"


Probe = Callable[["Task", float], ProbeResult]  # within so many seconds by the clock


@contextmanager
def prober(device: DeviceChoice, level: Level) -> Iterator[Probe]:
    """What probes a task: a process of its own where probes are forked, else this one.

    It is killed if it does not answer in time. Then, as when it is killed from outside, probing
    raises EOFError or OSError, and the worker has to end.
    """
    from grader.probe import Worker, how_to_start

    if how_to_start().get_start_method() != "fork":
        yield lambda task, seconds: _probe(task, seconds, level)
        return
    # One at a time on a GPU; a worker that dies lets go of it.
    turn = FileLock(Path(tempfile.gettempdir(), "gpu.lock")) if device == "cuda" else nullcontext()
    with Worker(_serve_probes, device, level) as worker:

        def probe(task: Task, seconds: float) -> ProbeResult:
            with turn:
                worker.send(pickle.dumps((task, seconds)), PATIENCE)
                return msgspec.json.decode(worker.receive(), type=ProbeResult)

        yield probe


def _serve_probes(connection: Connection, device: DeviceChoice, level: Level) -> None:
    from grader.probe import answer_messages, use_huge_pages

    if device == "simulated":  # a real one must not be touched before the fork
        _warm_up()
    numbers = count()

    def probe(message: bytes) -> bytes:
        if next(numbers) == MANY:
            use_huge_pages()
        task, seconds = pickle.loads(message)
        return msgspec.json.encode(_probe(task, seconds, level))

    answer_messages(connection, probe)


def _warm_up() -> None:
    from grader.probe import Exercise, warm_up

    recipe = Recipe(arguments={}, inputs=(Input((4, 3)),), thorough=True)
    warm_up(Exercise(WARM_UP, "WarmUp", 0, "simulated", recipe))


def _probe(task: Task, seconds: float, level: Level) -> ProbeResult:
    from grader.probe import RefusedError

    before = cpu_seconds()
    try:
        confined = probe_confined(task, Limits(seconds), level)
    except (RefusedError, IsolationError) as error:
        return ProbeResult(None, "none", cpu_seconds() - before, str(error))
    return ProbeResult(confined.evidence, str(confined.isolation), cpu_seconds() - before)


def cpu_seconds() -> float:
    """What this process and its ended children have used so far."""
    return sum(os.times()[:4])
