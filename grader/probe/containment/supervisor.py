"""Probes a learner's file in a process of its own, and records how that process ended.

How an end is told from another, in this order:

1. A message that is not the probe's, or the child's own report: tampered with.
2. A message marked as the last: the ending that it carries.
3. The deadline: timeout.
4. CPU time used up, even if the code ignores SIGXCPU: timeout.
5. An exit code: crashed. SIGXCPU: timeout. SIGKILL: from outside, so the probe is tried again, up
   to `MOST_TRIES` times. Another signal: crashed.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

import torch
from msgspec.structs import replace

from grader.probe.containment.channel import ForgedError, FullError, Message, Receiver, channel
from grader.probe.containment.child import Sandbox, run_in_child, use_one_thread
from grader.probe.containment.guard import renew_snapshot
from grader.probe.containment.guarded_channel import rebinding_line
from grader.probe.containment.limits import Limits, limits_of
from grader.probe.containment.processes import end_of, nothing_left_over, wait_for_end
from grader.probe.defaults import torch_defaults
from grader.probe.device import DeviceChoice
from grader.probe.tasks import Task
from grader.schema import Ending, Evidence
from grader.simulated_cuda import compile_beforehand, is_enabled, simulated_cuda

A_MOMENT = 0.5  # seconds
MOST_TRIES = 3
QUIET, HARDLY = 5.0, 0.05  # seconds by the clock, and of the processor
KILLED = (
    "The process that ran this file was killed from outside, each of the {} times that it was "
    "tried. Did the machine run out of memory? This says nothing about the answer."
)


class RefusedError(Exception):
    """There is no evidence, and it is not the learner's fault: no such device, or our own fault."""


class SupersededError(Exception):
    """Cancelled: `interrupt` became readable while the child was running."""


class UnfitError(Exception):
    """CUDA or autograd does not work in a copy of this process, so its child must be no copy.

    With an argument: the copy waits for threads, such as those of PyTorch, which it has not.
    """


class KilledError(Exception):
    """Somebody else killed the child, such as the system for lack of memory. Try again."""


def probe_in_child(
    task: Task, limits: Limits | None = None, sandbox: Sandbox | None = None
) -> Evidence:
    """The evidence of `task`, however its code behaves.

    Args:
        task: what to probe.
        limits: what it may use; the task's own, unless given.
        sandbox: what keeps it from the rest of the machine, if anything.

    Raises:
        RefusedError: nothing can be said about the learner's code.
    """
    prepare_device(task.device)
    for _ in range(MOST_TRIES):
        renew_snapshot()
        with suppress(KilledError), torch_defaults():  # those that a fork inherits
            return _probe_once(task, limits or limits_of(task), sandbox)
    raise RefusedError(KILLED.format(MOST_TRIES))


def prepare_device(choice: DeviceChoice) -> None:
    """Compile the simulated device if a probe will use it, once for each PyTorch; then load it.

    Otherwise the child would do it, and its seconds would count as the answer's. Whether there is
    a GPU is guessed from the driver's tool: to ask PyTorch would spoil this process for forks.
    """
    if is_enabled():  # as in a prober of a batch: it is loaded, and a fork goes on with it
        return
    has_gpu = bool(torch.version.hip or (torch.version.cuda and shutil.which("nvidia-smi")))
    if choice == "cuda" or (choice == "auto" and has_gpu):
        return
    if compile_beforehand():  # if it cannot be, the child says so, and takes the Python device
        _register_kernels()


@cache
def _register_kernels() -> None:
    """Enter the simulated device's kernels in PyTorch's dispatcher, where they stay.

    A fork that enters them itself writes to, and so copies, thousands of pages. Not on PyTorch's
    CUDA build, for the reason above.
    """
    if not (torch.version.cuda or torch.version.hip or is_enabled()):
        with simulated_cuda():
            pass


def _probe_once(task: Task, limits: Limits, sandbox: Sandbox | None) -> Evidence:
    try:
        return _probe_in(how_to_start(), task, limits, sandbox)
    except UnfitError as error:
        is_stalled = bool(error.args)
    if not is_stalled and task.device == "auto" and not torch.cuda.is_available():
        # A CUDA build without a GPU: this process has asked for one before, so asking changes
        # nothing, and a child that need not ask can be a copy.
        with suppress(UnfitError):
            return _probe_in(
                how_to_start(), dataclasses.replace(task, device="simulated"), limits, sandbox
            )
    from multiprocessing import resource_tracker  # which Windows has not

    resource_tracker.ensure_running()  # before the probe: what it leaves running is ended
    with _no_main_module():
        return _probe_in(multiprocessing.get_context("spawn"), task, limits, sandbox)


def _probe_in(context: Any, task: Task, limits: Limits, sandbox: Sandbox | None) -> Evidence:
    is_fork = context.get_start_method() == "fork"
    if is_fork:
        for module in task.preloaded:
            import_module(module)
    receiver, sender = channel(context)
    with nothing_left_over():
        child = context.Process(
            target=run_in_child, args=(task, sender, limits, sandbox), daemon=True
        )
        child.start()
        sender.connection.close()
        try:
            look = sandbox.require_room if sandbox else _look_at_nothing
            if is_fork and task.is_live:
                look = _stall_watch(child)
            evidence = receive(receiver, child, task, limits, look=look)
            if evidence.ending != "timeout":  # CPU time in namespaces is lost if they are killed
                wait_for_end(child, A_MOMENT)
            return evidence
        finally:
            child.kill()
            child.join()
            receiver.close()


def how_to_start() -> Any:
    """The `multiprocessing` context: fork on Linux, where torch is then loaded; else spawn.

    macOS's frameworks do not survive a fork, and Windows has none.
    """
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def process_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes of one thread each, which grade side by side.

    Args:
        jobs: how many processes; one for each processor, unless given.
    """
    return ProcessPoolExecutor(jobs or os.cpu_count(), how_to_start(), use_one_thread)


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep a new process from running the script that called us, as it would to find its classes.

    The probe needs none of them, and a script without `if __name__ == "__main__":` would call us
    again.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _look_at_nothing() -> None:
    """There is no folder with a limit."""


def receive(
    receiver: Receiver,
    child: BaseProcess,
    task: Task,
    limits: Limits,
    interrupt: Connection | None = None,
    look: Callable[[], None] = _look_at_nothing,
) -> Evidence:
    """The last evidence the child sent, marked with how it ended.

    Args:
        receiver: what the child sends through.
        child: the process.
        task: what it does.
        limits: only the time counts here, from now.
        interrupt: anything to be read here ends the waiting.
        look: called again and again; it may raise FullError or UnfitError.

    Raises:
        RefusedError: nothing can be said about the learner's code.
        SupersededError: there is something to be read from `interrupt`.
        UnfitError: only a process that is no copy of this one can do the task, as when it stalls.
        KilledError: somebody else killed the child.
    """
    deadline, used_before = time.monotonic() + limits.seconds, _cpu_seconds_of_children()
    evidence = Evidence(device="none", torch=str(torch.__version__), seed=task.seed)
    with end_of(child) as end:
        try:
            interrupts = (end, *filter(None, [interrupt]))
            for message in receiver.messages(deadline, *interrupts, look=look):
                if message is None:
                    return replace(evidence, ending="timeout")
                _raise_where_none(message)
                if message.tampered:
                    return replace(evidence, ending="tampered", detail=_in_line(message, task))
                evidence = message.evidence or evidence
                if message.done:
                    return evidence
        except (ForgedError, FullError) as error:
            return replace(evidence, ending=error.ending, detail=str(error))
        if interrupt is not None and interrupt.poll():
            raise SupersededError
    child.join()
    used = _cpu_seconds_of_children() - used_before
    if limits.cpu_seconds is not None and used >= limits.cpu_seconds:
        return replace(evidence, ending="timeout", detail="the processor's time was up")
    return _after_death(evidence, child.exitcode or 0)


def _stall_watch(child: BaseProcess) -> Callable[[], None]:
    """What raises UnfitError once a child on Linux has hardly used the processor for `QUIET`."""
    clock = ~(child.pid or 0) << 3 | 2  # MAKE_PROCESS_CPUCLOCK of linux/posix-timers.h
    since, used = time.monotonic(), 0.0

    def look() -> None:
        nonlocal since, used
        if time.monotonic() - since >= QUIET:
            with suppress(OSError):  # it has ended
                before, since = used, time.monotonic()
                used = time.clock_gettime(clock)
                if used - before < HARDLY:
                    raise UnfitError("stalled")

    return look


def _raise_where_none(message: Message) -> None:
    """Raise the exception for a message that says why there will be no evidence."""
    if message.unfit:
        raise UnfitError
    if message.refused:
        raise RefusedError(message.refused)


def _in_line(message: Message, task: Task) -> str:
    """What was tampered with, and in which line."""
    line = rebinding_line(message.bound, task.files) if message.bound else 0
    return f"{message.tampered} in line {line}" if line else message.tampered


def _cpu_seconds_of_children() -> float:
    """Seconds of user and system time of all children that have ended and been waited for."""
    return sum(os.times()[2:4])


def _after_death(evidence: Evidence, code: int) -> Evidence:
    """The evidence with the ending that the exit code (negative: a signal) of the child implies."""
    if code >= 0:
        return replace(evidence, ending="crashed", detail=f"it ended with exit code {code}")
    name = signal.Signals(-code).name
    if name == "SIGKILL":  # where it kills itself, `exit_on_own_kill` makes it exit
        raise KilledError
    ending: Ending = "timeout" if name == "SIGXCPU" else "crashed"
    return replace(evidence, ending=ending, detail=f"it was ended by {name}")
