"""A child that is warm before it gets a task, so that `grader watch` answers at once.

The first probe in a process is slow: PyTorch looks up its operators, the simulated device is set
up, or CUDA is initialised. So the child probes a solution of the course first, then waits.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait

import msgspec
import torch

from grader.probe.containment.channel import Message, Sender, channel
from grader.probe.containment.child import detach_from_terminal, run_task, settle
from grader.probe.containment.guard import take_snapshot
from grader.probe.containment.limits import Limits, limits_of
from grader.probe.containment.supervisor import (
    KilledError,
    RefusedError,
    SupersededError,
    UnfitError,
    how_to_start,
    prepare_device,
    probe_in_child,
    receive,
)
from grader.probe.containment.worker import Worker
from grader.probe.device import SIMULATED_DEVICES, cuda_device, hide_gpus
from grader.probe.run import run_probe
from grader.probe.tasks import Task
from grader.schema import Evidence
from grader.simulated_cuda import enable, is_enabled, prepare_short_process

PATIENCE = 120.0  # seconds for a rehearsal, which imports and looks up a lot
NOT_READY = (
    "The process that was to run this ended before it began, or did not begin, as by a lack of "
    "memory. This says nothing about your answer: save it again."
)


class Standby:
    """Probes tasks one after another, each in a warm process that is used once."""

    def __init__(self, rehearsal: Task) -> None:
        self._rehearsal = rehearsal
        prepare_device(rehearsal.device)
        self._start()

    def probe(
        self, task: Task, limits: Limits | None = None, interrupt: Connection | None = None
    ) -> Evidence:
        """The evidence of `task`, as `probe_in_child` gives it.

        Args:
            task: what to probe.
            limits: what it may use; the task's own, unless given.
            interrupt: anything to be read here ends the waiting.

        Raises:
            RefusedError: nothing can be said about the learner's code.
            SupersededError: there is something to be read from `interrupt`.
        """
        if not self._worker.process.is_alive():
            self._restart()
        self._await_readiness(interrupt)
        limits = limits or limits_of(task)
        try:
            self._worker.connection.send((task, limits))
        except OSError:
            self._restart()
            raise RefusedError(NOT_READY) from None
        try:
            return receive(self._evidence, self._worker.process, task, limits, interrupt)
        except (UnfitError, KilledError):
            return probe_in_child(task, limits)
        finally:
            self._restart()

    def close(self) -> None:
        self._worker.close()
        self._evidence.close()

    def _await_readiness(self, interrupt: Connection | None) -> None:
        """Wait for the rehearsal's end, so that its time does not count as the task's.

        Raises:
            RefusedError: it did not end within `PATIENCE` seconds, or the child died.
            SupersededError: there is something to be read from `interrupt`.
        """
        ready = wait([self._worker.connection, *filter(None, [interrupt])], PATIENCE)
        if interrupt in ready:
            raise SupersededError
        try:
            if not ready:
                raise EOFError
            self._worker.connection.recv()
        except EOFError:
            self._restart()
            raise RefusedError(NOT_READY) from None

    def _restart(self) -> None:
        self.close()
        self._start()

    def _start(self) -> None:
        context = how_to_start()
        self._evidence, evidence = channel(context)
        work, ends = (_stand_by, self._rehearsal, evidence), [self._evidence.connection]
        self._worker = Worker(*work, context=context, daemon=True, not_theirs=ends)
        evidence.connection.close()


def warm_up(rehearsal: Task) -> None:
    """Prepare this process, for good, so that it or its forks can start a task at once.

    A process that has run a learner's code must not be used again.
    """
    settle()
    if rehearsal.device == "simulated":
        hide_gpus()
    rehearse(rehearsal)
    if rehearsal.device == "simulated" or not torch.cuda.is_available():
        enable(SIMULATED_DEVICES, follow_environment=False)
        take_snapshot()


def rehearse(rehearsal: Task) -> None:
    """Probe a solution, encode and decode the evidence; the result is thrown away."""
    with suppress(Exception), cuda_device(rehearsal.device) as device:  # a task will say what fails
        if is_enabled():
            prepare_short_process()
        message = Message(run_probe(rehearsal.prepare(), device))
        msgspec.json.decode(msgspec.json.encode(message), type=Message)


def _stand_by(tasks: Connection, rehearsal: Task, evidence: Sender) -> None:
    """The child: rehearse, wait for a task or the parent's end, and do the task."""
    parent = parent_process()
    assert parent is not None  # as in every child
    detach_from_terminal(tasks.fileno(), evidence.connection.fileno(), parent.sentinel)
    warm_up(rehearsal)
    tasks.send("ready")
    if tasks in wait([tasks, parent.sentinel]):
        task, limits = tasks.recv()
        run_task(task, evidence, limits, is_cut_off=True)
