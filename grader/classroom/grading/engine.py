"""Marks many submissions at once: a parent that never runs one, and a worker for each core.

The parent imports torch once and forks its workers, so each is warm from the start, and has seen
no answer yet. A worker takes one submission at a time, has it probed, judges what was seen, and
sends the result back: the parent is the only one that writes. Neither touches CUDA, so every probe
can. Where forking is not safe, workers are spawned, and each imports torch once.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from threading import Timer
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from grader.classroom.grading.marking import Job, Marked, Settings, mark, unmarked
from grader.classroom.grading.prober import PATIENCE, prober
from grader.classroom.grading.scratch import Scratch
from grader.probe import die_with_parent, how_to_start, use_one_thread, wait_for_end

if TYPE_CHECKING:
    from grader.probe import DeviceChoice

MOST_TRIES = 2
JUDGING = 300.0  # seconds, beyond the probe's
ASKING = 120.0  # seconds for a driver to say which GPU there is
A_MOMENT = 0.5
NO_ANSWER = (
    "The process that asked PyTorch for a CUDA device ended or did not answer. Does `nvidia-smi` "
    "answer? To grade without a GPU, use --device simulated."
)
DIE_TOGETHER = sys.platform == "linux"  # whatever a worker started ends when it does

T = TypeVar("T")


@dataclass
class _Task(Generic[T]):
    """Something to mark, and what the caller wants to be told of it."""

    about: T
    job: Job
    tries: int = 0


@dataclass(eq=False)
class _Worker(Generic[T]):
    process: Any
    connection: Connection
    task: _Task[T] | None = None
    timer: Timer | None = None


class Engine(Generic[T]):
    """Workers that mark; leaving its `with` block ends them and what they run."""

    def __init__(self, jobs: int, settings: Settings) -> None:
        from grader.grading import expected_outputs  # noqa: F401  (its module is large)

        self._settings = settings
        # On a GPU, a worker waits for its turn while the others probe.
        self._patience = JUDGING + PATIENCE * (1 if settings.device == "simulated" else jobs)
        self._scratch = Scratch()
        self._workers: list[_Worker[T]] = []
        gc.freeze()  # a collection would look through, and so copy, all that the workers share
        for _ in range(jobs):
            self._hire(how_to_start())

    def run(self, jobs: Iterable[tuple[T, Job]]) -> Iterator[tuple[T, Marked]]:
        """Mark each; results come as they are reached, and jobs are taken as workers are free."""
        coming, again = iter(jobs), deque[_Task[T]]()
        while True:
            for worker in self._workers:
                if worker.task is None:
                    self._give(worker, again, coming)
            busy = {worker.connection: worker for worker in self._workers if worker.task}
            if not busy:
                return
            for connection in wait(list(busy)):
                worker = busy[connection]  # type: ignore[index]
                task, worker.task = worker.task, None
                assert task is not None
                marked = self._received(worker)
                assert worker.timer is not None
                worker.timer.cancel()
                if marked is None and task.tries < MOST_TRIES:
                    again.append(task)
                else:
                    yield task.about, marked or _lost(task.job)

    def __enter__(self) -> Engine[T]:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.timer:
                worker.timer.cancel()
            worker.connection.close()
            worker.process.kill() if DIE_TOGETHER else worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
        self._scratch.remove()
        gc.unfreeze()

    def _give(
        self, worker: _Worker[T], again: deque[_Task[T]], coming: Iterator[tuple[T, Job]]
    ) -> None:
        task = again.popleft() if again else next((_Task(*pair) for pair in coming), None)
        if task is None:
            return
        task.tries += 1
        worker.task = task
        worker.timer = Timer(self._patience, worker.process.kill)  # so that its pipe ends
        worker.timer.daemon = True
        worker.timer.start()
        with suppress(OSError):  # if it has died, what waits for its answer will see that
            worker.connection.send_bytes(msgspec.json.encode(task.job))

    def _received(self, worker: _Worker[T]) -> Marked | None:
        """What a worker sends; None if it died or was too slow, and then another replaces it."""
        try:
            return msgspec.json.decode(worker.connection.recv_bytes(), type=Marked)
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.connection.close()
            worker.process.kill()
            worker.process.join()
            self._hire(multiprocessing.get_context("spawn"))  # by now there are answers to copy
            return None

    def _hire(self, context: Any) -> None:
        ours, theirs = context.Pipe()
        is_copy = context.get_start_method() == "fork"
        not_theirs = [ours, *(worker.connection for worker in self._workers)] if is_copy else []
        arguments = (theirs, not_theirs, self._settings, self._scratch.name, os.getpid())
        process = context.Process(target=_work, args=arguments)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))


def device_label(choice: DeviceChoice) -> str:
    """What `choice` is on this machine, as every report names it; asked for in a child.

    Raises:
        NoCudaDeviceError: CUDA was asked for, and there is none; or its driver does not answer.
    """
    from grader.probe import NoCudaDeviceError

    context = how_to_start()
    ours, theirs = context.Pipe()
    child = context.Process(target=_tell_device, args=(theirs, choice))
    child.start()
    theirs.close()
    try:
        is_there, label = ours.recv() if ours.poll(ASKING) else (False, NO_ANSWER)
    except EOFError:
        is_there, label = False, NO_ANSWER
    finally:
        child.kill()  # it has nothing to put in order, and a driver that hangs may keep it
        wait_for_end(child, A_MOMENT)
    if not is_there:
        raise NoCudaDeviceError(label)
    return str(label)


def _tell_device(connection: Connection, choice: DeviceChoice) -> None:
    from grader.probe import NoCudaDeviceError, cuda_device

    try:
        with cuda_device(choice) as label:
            connection.send((True, label))
    except NoCudaDeviceError as error:
        connection.send((False, str(error)))


def _work(
    connection: Connection,
    not_mine: list[Connection],
    settings: Settings,
    scratch: str,
    parent: int,
) -> None:
    """A worker: marks what it is given until there is nobody to give."""
    for theirs in not_mine:
        theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    if not DIE_TOGETHER:
        signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    if parent != os.getppid():
        return
    tempfile.tempdir = scratch
    use_one_thread()  # there is a worker for each core
    connection.poll(None)  # with fewer submissions than workers, some need not get ready
    with suppress(EOFError, OSError), prober(settings.device, settings.isolation) as probe:
        while True:
            job = msgspec.json.decode(connection.recv_bytes(), type=Job)
            marked = mark(job, settings.device, probe)
            connection.send_bytes(msgspec.json.encode(marked))


def _leave(signum: int, frame: FrameType | None) -> None:
    sys.exit()  # by way of every `finally`, so that the child ends too


def _lost(job: Job) -> Marked:
    message = (
        "The process that graded this submission was killed from outside or stopped answering, "
        "each time it was tried. Did the machine run out of memory? Run the batch again with fewer "
        "--jobs."
    )
    return unmarked(job, message)
