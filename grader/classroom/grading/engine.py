"""Grades many submissions at once: a parent that never runs one, and a worker for each core.

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
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import TYPE_CHECKING, Any

import msgspec

from grader.classroom.grading.marking import (
    GradingJob,
    Settings,
    grade_submission,
    refused,
)
from grader.classroom.grading.prober import PATIENCE, prober
from grader.classroom.grading.schedule import Schedule
from grader.classroom.results.ledger import Outcome
from grader.classroom.scratch import Scratch
from grader.probe import Worker, answer_messages, use_one_thread, wait_for_end

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
LOST = (
    "The process that graded this submission was killed from outside or stopped answering, each "
    "time it was tried. Did the machine run out of memory? Run the batch again with fewer --jobs."
)
DIE_TOGETHER = sys.platform == "linux"  # whatever a worker started ends when it does


class Engine:
    """Workers that grade; leaving its `with` block ends them and what they run."""

    def __init__(self, jobs: int, settings: Settings) -> None:
        from grader.grading import expected_outputs  # noqa: F401  (its module is large)

        self._settings = settings
        # On a GPU, a worker waits for its turn while the others probe.
        self._patience = JUDGING + PATIENCE * (1 if settings.device == "simulated" else jobs)
        self._scratch = Scratch()
        os.chmod(
            self._scratch.name, 0o711
        )  # probes that run as other users have their folders here
        self._tasks: dict[Worker, GradingJob | None] = {}  # what each worker is busy with
        gc.freeze()  # a collection would look through, and so copy, all that the workers share
        for _ in range(jobs):
            self._hire()

    def run(self, jobs: Iterable[GradingJob]) -> Iterator[tuple[GradingJob, Outcome]]:
        """Grade each; results come as they are reached, and jobs are taken as workers are free."""
        schedule = Schedule(jobs)
        while True:
            for worker, current in self._tasks.items():
                if current is None and (job := schedule.take()):
                    self._tasks[worker] = job
                    worker.send(msgspec.json.encode(job), self._patience)
            busy = {worker.connection: worker for worker, job in self._tasks.items() if job}
            if not busy:
                return
            for connection in wait(list(busy)):
                worker = busy[connection]  # type: ignore[index]
                job, self._tasks[worker] = self._tasks[worker], None
                assert job is not None
                result = self._receive(worker)
                if result is None and job.tries < MOST_TRIES:
                    schedule.put_back(job)
                elif result is None or not schedule.sets_aside(job, result):
                    yield job, result or refused(job, LOST)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._tasks:
            worker.process.kill() if DIE_TOGETHER else worker.process.terminate()
        for worker in self._tasks:
            worker.process.join()
            worker.close()
        self._scratch.remove()
        gc.unfreeze()

    def _receive(self, worker: Worker) -> Outcome | None:
        """A worker's result; None if it died or was too slow, and then another replaces it.

        However a worker dies (by the timer of `Worker.send`, for lack of memory, or by itself since
        its prober was killed), its end of the pipe closes, and reading raises. Its prober, a fork,
        has a copy of that end; but the kernel kills the prober with the worker.

        The new worker is spawned, not forked. The first ones were forked before this process had
        read a rubric or a solution. Now it has: they would be in the memory of a fork, of its
        prober and of the probe, where a learner's code can search for them.
        """
        try:
            return msgspec.json.decode(worker.receive(), type=Outcome)
        except (EOFError, OSError):
            del self._tasks[worker]
            worker.close()
            self._hire(multiprocessing.get_context("spawn"))
            return None

    def _hire(self, context: Any = None) -> None:
        others = [worker.connection for worker in self._tasks]
        arguments = (self._settings, self._scratch.name)
        self._tasks[Worker(_work, *arguments, context=context, not_theirs=others)] = None


def device_label(choice: DeviceChoice) -> str:
    """What `choice` is on this machine, as every report names it; asked for in a child.

    Raises:
        NoCudaDeviceError: CUDA was asked for, and there is none; or its driver does not answer.
    """
    from grader.probe import NoCudaDeviceError

    worker = Worker(_send_device, choice)
    try:
        is_there, label = msgspec.json.decode(worker.receive(ASKING), type=tuple[bool, str])
    except (EOFError, OSError):
        is_there, label = False, NO_ANSWER
    finally:
        # No wait without end, as `worker.kill` does: a driver that hangs may keep it.
        worker.process.kill()
        wait_for_end(worker.process, A_MOMENT)
    if not is_there:
        raise NoCudaDeviceError(label)
    return label


def _send_device(connection: Connection, choice: DeviceChoice) -> None:
    from grader.probe import NoCudaDeviceError, cuda_device

    try:
        with cuda_device(choice) as label:
            connection.send_bytes(msgspec.json.encode((True, label)))
    except NoCudaDeviceError as error:
        connection.send_bytes(msgspec.json.encode((False, str(error))))


def _work(connection: Connection, settings: Settings, scratch: str) -> None:
    """A worker: grades what it is given until there is nobody to give."""
    if not DIE_TOGETHER:
        signal.signal(signal.SIGTERM, _exit_on_signal)
    tempfile.tempdir = scratch
    use_one_thread()  # there is a worker for each core
    connection.poll(None)  # with fewer submissions than workers, some need not get ready
    with suppress(EOFError, OSError), prober(settings.device, settings.isolation) as probe:

        def grade(message: bytes) -> bytes:
            job = msgspec.json.decode(message, type=GradingJob)
            return msgspec.json.encode(grade_submission(job, settings.device, probe))

        answer_messages(connection, grade)


def _exit_on_signal(signum: int, frame: FrameType | None) -> None:
    sys.exit()  # by way of every `finally`, so that the child ends too
