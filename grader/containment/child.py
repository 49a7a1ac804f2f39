"""Probes a learner's file in a process of its own, which sends its evidence as JSON.

Whatever the code does to its process - exit, loop, use up memory - is then a fact about the code,
and not the end of the grading.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Protocol

import torch

from grader.containment.channel import ForgedError, Message, Receiver, Send, Sender, channel
from grader.containment.culprit import binding_line
from grader.containment.guard import renew_snapshot
from grader.containment.guard.kernels import refuse_kernels
from grader.containment.harmless import exit_on_own_kill, load_in_process
from grader.containment.limits import Limits, limits_of
from grader.containment.processes import (
    die_with_parent,
    drop_privileges,
    end_of,
    nothing_left_over,
    wait_for_end,
)
from grader.containment.watched import Watched, stand_alone
from grader.evidence import Ending, Evidence, Raised
from grader.inspection.source import describe_exception, traceback_places
from grader.loading import LoadingError, forget_executed
from grader.probe.device import (
    NoCudaDeviceError,
    cuda_device,
    hide_gpus,
    is_simulated,
    survived_the_fork,
)
from grader.probe.printed import OutputLimitError, Printed, into
from grader.probe.running import TamperedError
from grader.probe.session import run_probe
from grader.probe.tasks import ElsewhereError, Task
from grader.simulated_cuda import adopt_fork, is_enabled, prepare_short_process
from grader.simulated_cuda.common import compiling

A_MOMENT = 0.5
MOST_TRIES = 3
KILLED = (
    "The process that ran this file was killed from outside, each of the {} times that it was "
    "tried. Did the machine run out of memory? This says nothing about the answer."
)
ELSEWHERE = Raised.problem(
    "The file calls `torch.set_default_device`. From there on, all that the program makes without "
    "a `device=` is on that one device, wherever the module and its inputs are. Take that call "
    "out, and say where each tensor is to be made.",
    operation="torch.set_default_device",
)


class RefusedError(Exception):
    """There is no evidence, and it is not the learner's fault: no such device, or our own fault."""


class SupersededError(Exception):
    """Nobody waits for this evidence any longer."""


class UnfitError(Exception):
    """CUDA or autograd does not work in a copy of this process, so its child must be no copy."""


class KilledError(Exception):
    """Somebody else killed the child, such as the system for lack of memory. Try again."""


class Walls(Protocol):
    """What keeps a child from the rest of the machine."""

    def outside(self) -> None:
        """In the child: go where the probe is to run, be it into yet another process."""

    def inside(self) -> None:
        """There, before the learner's code: close the door."""


def probe_in_child(
    task: Task, limits: Limits | None = None, walls: Walls | None = None
) -> Evidence:
    """The evidence of `task`, however its code behaves.

    Args:
        task: what to probe.
        limits: what it may use; the task's own, unless given.
        walls: what keeps it from the rest of the machine, if anything.

    Raises:
        RefusedError: nothing can be said about the learner's code.
    """
    for _ in range(MOST_TRIES):
        renew_snapshot()
        with suppress(KilledError):
            return _probe_once(task, limits or limits_of(task), walls)
    raise RefusedError(KILLED.format(MOST_TRIES))


def _probe_once(task: Task, limits: Limits, walls: Walls | None) -> Evidence:
    try:
        return _probe_in(how_to_start(), task, limits, walls)
    except UnfitError:
        pass
    if task.device == "auto" and not torch.cuda.is_available():
        # A CUDA build without a GPU: this process has asked for one before, so asking changes
        # nothing, and a child that need not ask can be a copy.
        with suppress(UnfitError):
            return _probe_in(how_to_start(), replace(task, device="simulated"), limits, walls)
    from multiprocessing import resource_tracker  # which Windows has not

    resource_tracker.ensure_running()  # before the probe: what it leaves running is ended
    with _no_main_module():
        return _probe_in(multiprocessing.get_context("spawn"), task, limits, walls)


def _probe_in(context: Any, task: Task, limits: Limits, walls: Walls | None) -> Evidence:
    receiver, sender = channel(context)
    with nothing_left_over():
        child = context.Process(target=_main, args=(task, sender, limits, walls), daemon=True)
        child.start()
        sender.connection.close()
        try:
            evidence = receive(receiver, child, task, limits)
            if evidence.ending != "timeout":  # CPU time in namespaces is lost if they are killed
                wait_for_end(child, A_MOMENT)
            return evidence
        finally:
            child.kill()
            child.join()
            receiver.close()


def how_to_start() -> Any:
    """Forking costs nothing once torch is loaded; elsewhere than on Linux it is not safe."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


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


def receive(
    receiver: Receiver,
    child: BaseProcess,
    task: Task,
    limits: Limits,
    interrupt: Connection | None = None,
) -> Evidence:
    """The last evidence the child sent, marked with how it ended.

    Args:
        receiver: what the child sends through.
        child: the process.
        task: what it does.
        limits: only the time counts here, from now.
        interrupt: anything to be read here ends the waiting.

    Raises:
        RefusedError: nothing can be said about the learner's code.
        SupersededError: there is something to be read from `interrupt`.
        UnfitError: only a process that is no copy of this one can do the task.
        KilledError: somebody else killed the child.
    """
    deadline, used_before = time.monotonic() + limits.seconds, _cpu_seconds_of_children()
    evidence = Evidence(device="none", torch=str(torch.__version__), seed=task.seed)
    with end_of(child) as end:
        try:
            for message in receiver.messages(deadline, end, *filter(None, [interrupt])):
                if message is None:
                    return replace(evidence, ending="timeout")
                _raise_where_none(message)
                if message.tampered:
                    return replace(evidence, ending="tampered", detail=_in_line(message, task))
                evidence = message.evidence or evidence
                if message.done:
                    return evidence
        except ForgedError as error:
            return replace(evidence, ending="tampered", detail=str(error))
        if interrupt is not None and interrupt.poll():
            raise SupersededError
        if not wait([end], A_MOMENT):
            return replace(evidence, ending="crashed", detail="it closed all its files")
    child.join()
    used = _cpu_seconds_of_children() - used_before
    if limits.cpu_seconds is not None and used >= limits.cpu_seconds:
        return replace(evidence, ending="timeout", detail="the processor's time was up")
    return _after_death(evidence, child.exitcode or 0)


def _raise_where_none(message: Message) -> None:
    """Raise what says why there will be no evidence."""
    if message.unfit:
        raise UnfitError
    if message.refused:
        raise RefusedError(message.refused)


def _in_line(message: Message, task: Task) -> str:
    """What was tampered with, and in which line."""
    line = binding_line(message.bound, task.files) if message.bound else 0
    return f"{message.tampered} in line {line}" if line else message.tampered


def _cpu_seconds_of_children() -> float:
    """Of those that have ended. A process that is deaf to the limit's signal is told by it."""
    return sum(os.times()[2:4])


def _after_death(evidence: Evidence, code: int) -> Evidence:
    """What the exit code says of a child that did not come to its end."""
    if code >= 0:
        return replace(evidence, ending="crashed", detail=f"it ended with exit code {code}")
    name = signal.Signals(-code).name
    if name == "SIGKILL":  # where it kills itself, `exit_on_own_kill` makes it exit
        raise KilledError
    ending: Ending = "timeout" if name == "SIGXCPU" else "crashed"
    return replace(evidence, ending=ending, detail=f"it was ended by {name}")


def _main(task: Task, sender: Sender, limits: Limits, walls: Walls | None) -> None:
    die_with_parent()
    settle()
    run_task(task, sender, limits, walls)
    os._exit(0)  # whatever the learner's code has put off until the end does not count


def settle() -> None:
    """Make a new child fit to run a learner's code.

    Ctrl-C is the parent's business, so a KeyboardInterrupt here is the learner's.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_on_own_kill()
    torch.set_num_threads(1)  # threads do not survive a fork
    gc.freeze()  # a collection would look through, and so copy, all that the parent holds


def run_task(
    task: Task,
    sender: Sender,
    limits: Limits,
    walls: Walls | None = None,
    is_cut_off: bool = False,
) -> None:
    """What a child does, once it has settled."""
    send = sender.opened()
    forget_arguments()
    try:
        forget_executed()
        if task.is_graded and not is_cut_off:
            cut_off(sender.connection.fileno())
        if walls:
            walls.outside()
        if task.is_graded:
            drop_privileges()
        adopt_fork()
        if task.device == "simulated":
            hide_gpus()
        if not survived_the_fork(task.device):
            send(Message(unfit=True))
            return
        with cuda_device(task.device) as device:  # a real one wakes with its files open to it
            if is_enabled():
                prepare_short_process()
            limits.apply(on_cuda=not is_simulated(device))
            if walls:
                walls.inside()
            send(Message(_probe(task, device, limits, send), done=True))
    except NoCudaDeviceError as error:
        send(Message(refused=str(error)))
    except BaseException as error:
        # Not by `traceback`: frames are refused to everybody else in this thread by now.
        places = [f"{file}:{line}" for file, line in traceback_places(error.__traceback__)]
        fault = "\n".join([*places[-3:], f"{type(error).__name__}: {error}"])
        send(Message(refused=f"The grader itself failed. Please report this:\n{fault}"))


def cut_off(*kept: int) -> None:
    """Leave the terminal, and all that the parent had open but `kept`.

    Before CUDA wakes, whose driver has files of its own.
    """
    stand_alone()
    load_in_process()
    refuse_kernels()
    if sys.platform != "linux":
        return
    with suppress(OSError):
        os.setsid()
    below = 2
    for each in (*sorted(kept), os.sysconf("SC_OPEN_MAX")):
        os.closerange(below + 1, each)
        below = each
    nothing, written = os.open(os.devnull, os.O_RDONLY), os.memfd_create("written")
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(nothing)
    os.close(written)


def forget_arguments() -> None:
    """Drop what `multiprocessing` keeps of what this process was started with."""
    process: Any = multiprocessing.current_process()
    process._target, process._args, process._kwargs = None, (), {}


def _probe(task: Task, device: str, limits: Limits, send: Send) -> Evidence:
    printed = Printed()
    compiling.forget_request()
    nothing = Evidence(device=device, torch=str(torch.__version__), seed=task.seed)
    if torch.cuda.is_available():
        torch.cuda.init()  # type: ignore[no-untyped-call]  # until then PyTorch keeps each call for later, with its frames
    watched = Watched(task, limits, send)
    watched.tell(nothing)
    try:
        with into(printed):
            subject, steps = task.prepare(watched.run)
    except ElsewhereError:
        return watched.last(replace(nothing, undefined=ELSEWHERE))
    except OutputLimitError:
        return replace(nothing, ending="output_limit", printed=printed.beginning)
    except TamperedError as error:
        return replace(nothing, ending="tampered", detail=str(error), printed=printed.beginning)
    except LoadingError as error:
        return watched.last(replace(nothing, undefined=Raised.problem(str(error))))
    except BaseException as error:  # a learner's file may raise anything, SystemExit too
        raised = describe_exception(error, task.files, watched.run)
        return watched.last(replace(nothing, undefined=raised, printed=printed.beginning))
    subject.guard = watched.guard
    return watched.last(run_probe(subject, device, steps, printed, watched.tell))
