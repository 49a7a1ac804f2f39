"""What a child process does with a task: settles, closes what it inherited, and probes.

Whatever the code does to its process - exit, loop, use up memory - is then a fact about the code,
and not the end of the grading.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import torch

from grader.containment.channel import Message, Send, Sender
from grader.containment.guard.kernels import refuse_kernels
from grader.containment.harmless import exit_on_own_kill, load_in_process
from grader.containment.limits import Limits
from grader.containment.processes import (
    die_with_parent,
    drop_privileges,
)
from grader.containment.watched import Watched, stand_alone
from grader.evidence import Evidence, Raised
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

ELSEWHERE = Raised.problem(
    "The file calls `torch.set_default_device`. From there on, all that the program makes without "
    "a `device=` is on that one device, wherever the module and its inputs are. Take that call "
    "out, and say where each tensor is to be made.",
    operation="torch.set_default_device",
)


class Walls(Protocol):
    """What keeps a child from the rest of the machine."""

    def outside(self) -> None:
        """In the child: go where the probe is to run, be it into yet another process."""

    def inside(self) -> None:
        """There, before the learner's code: close the door."""


def run_in_child(task: Task, sender: Sender, limits: Limits, walls: Walls | None) -> None:
    """The whole of a child's life."""
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
    use_one_thread()
    gc.freeze()  # a collection would look through, and so copy, all that the parent holds


def use_one_thread() -> None:
    """Count on no threads but this one: others do not survive a fork.

    Not said twice: where an ancestor has asked for more, each `set_num_threads` after a fork starts
    a thread of PyTorch's `PThreadPool`, and `unshare` refuses a process that has several.
    """
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


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
