"""The child process of a probe: drops what it inherited, enters its sandbox, and probes.

Whatever the learner's code does to its process (exit, loop, use up memory) is then evidence about
the code, and the parent goes on grading.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import torch
from msgspec.structs import replace

from grader.loading import LoadingError, forget_executed
from grader.probe.containment.channel import Message, Send, Sender
from grader.probe.containment.guarded_channel import GuardedChannel
from grader.probe.containment.limits import Limits
from grader.probe.containment.processes import die_with_parent, drop_privileges
from grader.probe.containment.substitutes import exit_on_own_kill, stand_alone
from grader.probe.device import (
    NoCudaDeviceError,
    cuda_device,
    hide_gpus,
    is_simulated,
    survived_the_fork,
)
from grader.probe.inspection.exceptions import describe_exception, traceback_locations
from grader.probe.printed import OutputLimitError, Printed, into
from grader.probe.run import run_probe
from grader.probe.sequence import steps_for
from grader.probe.tasks import DefaultDeviceError, Task
from grader.schema import Evidence, Raised
from grader.simulated_cuda import (
    adopt_fork,
    forget_compile_request,
    is_enabled,
    prepare_short_process,
)

DEFAULT_DEVICE_CHANGED = Raised.problem(
    "The file calls `torch.set_default_device`. From there on, all that the program makes without "
    "a `device=` is on that one device, wherever the module and its inputs are. Take that call "
    "out, and say where each tensor is to be made.",
    operation="torch.set_default_device",
)


class Sandbox(Protocol):
    """Keeps a child from the rest of the machine."""

    def enter(self) -> None:
        """In the child, before limits are set: may fork into namespaces, or change the user."""

    def lock_down(self) -> None:
        """Then, last before the learner's code: Landlock, seccomp, the working folder."""

    def require_room(self) -> None:
        """In the parent, again and again: raise FullError if the child has filled its folder."""


def run_in_child(task: Task, sender: Sender, limits: Limits, sandbox: Sandbox | None) -> None:
    """The target of a child process; it never returns."""
    die_with_parent()
    settle()
    run_task(task, sender, limits, sandbox)
    os._exit(0)  # whatever the learner's code has put off until the end does not count


def settle() -> None:
    """Make a new child fit to run a learner's code.

    Ctrl-C is the parent's business, so a KeyboardInterrupt here is the learner's.
    """
    drop_signal_handlers()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_on_own_kill()
    use_one_thread()
    gc.freeze()  # a collection would look through, and so copy, all that the parent holds


def drop_signal_handlers() -> None:
    """Let each signal end this process that the one it was copied from handles in Python.

    A copy keeps the handlers. A server's for SIGTERM raises SystemExit in the middle of
    what the probe does, and the probe goes on.
    """
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)


def use_one_thread() -> None:
    """Count on no threads but this one: OpenMP's others do not survive a fork.

    In a child that still counts on them, the first operator that uses several waits for ever.
    Not said twice: where an ancestor has asked for more, each `set_num_threads` after a fork starts
    a thread of PyTorch's `PThreadPool`, and `unshare` refuses a process that has several.
    """
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def run_task(
    task: Task,
    sender: Sender,
    limits: Limits,
    sandbox: Sandbox | None = None,
    is_cut_off: bool = False,
) -> None:
    """Run a task in a process that has settled, and send its evidence.

    The order matters; each step takes away what an earlier one needed:

    1. Take the key out of `sender` and of the process's arguments.
    2. `detach_from_terminal`: leave the terminal, close inherited descriptors.
    3. `sandbox.enter`: new namespaces and another user need privileges.
    4. Drop privileges, hide GPUs from a simulated probe, and find out if CUDA survived the fork.
    5. Open the device: CUDA's driver opens files and maps memory.
    6. Set limits, which count from the memory that is in use now.
    7. `sandbox.lock_down`: from here on, neither files nor system calls that no answer needs.
    8. Run the learner's code.

    Args:
        task: what to probe.
        sender: the child's end of the channel.
        limits: of time, memory, output.
        sandbox: None for code that its author runs on their own machine.
        is_cut_off: whether step 2 has been done, as by a standby process.
    """
    send = sender.opened()
    forget_arguments()
    try:
        forget_executed()
        if task.is_graded and not is_cut_off:
            detach_from_terminal(sender.connection.fileno())
        if sandbox:
            sandbox.enter()
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
            if sandbox:
                sandbox.lock_down()
            send(Message(_probe(task, device, limits, send), done=True))
    except NoCudaDeviceError as error:
        send(Message(refused=str(error)))
    except BaseException as error:
        lines = [f"{file}:{line}" for file, line in traceback_locations(error.__traceback__)]
        fault = "\n".join([*lines[-3:], f"{type(error).__name__}: {error}"])
        send(Message(refused=f"The grader itself failed. Please report this:\n{fault}"))


def detach_from_terminal(*open_descriptors: int) -> None:
    """Leave the terminal's session, and close all descriptors but `open_descriptors`.

    Standard input becomes empty, and standard output and error go to a file in memory, whose size
    `Limits` caps. Must precede the first use of CUDA, whose driver opens files that it needs.
    """
    stand_alone()
    if sys.platform != "linux":
        return
    with suppress(OSError):
        os.setsid()
    below = 2  # close the ranges between the descriptors that stay open
    for descriptor in (*sorted(open_descriptors), os.sysconf("SC_OPEN_MAX")):
        os.closerange(below + 1, descriptor)
        below = descriptor
    nothing, written = os.open(os.devnull, os.O_RDONLY), os.memfd_create("written")
    os.dup2(nothing, 0)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(nothing)
    os.close(written)


def forget_arguments() -> None:
    """Drop the arguments that `multiprocessing.Process` keeps: the sender with its key is one."""
    process: Any = multiprocessing.current_process()
    process._target, process._args, process._kwargs = None, (), {}


def _set_command_line(path: Path) -> None:
    """Give the learner's code the command line of `python FILE`: a parser at its top reads it."""
    sys.argv = [str(path)]
    sys.orig_argv = [sys.executable, str(path)]


def _probe(task: Task, device: str, limits: Limits, send: Send) -> Evidence:
    printed = Printed()
    forget_compile_request()
    nothing = Evidence(device=device, torch=str(torch.__version__), seed=task.seed)
    if torch.cuda.is_available():
        torch.cuda.init()  # type: ignore[no-untyped-call]  # until then PyTorch keeps each call for later, with its frames
    _set_command_line(task.path)
    watched = GuardedChannel(task, limits, send)
    watched.tell(nothing)
    try:
        with into(printed):
            subject = task.prepare(watched.run)
    except DefaultDeviceError:
        return watched.last(replace(nothing, undefined=DEFAULT_DEVICE_CHANGED))
    except OutputLimitError:
        return replace(nothing, ending="output_limit", printed=printed.beginning)
    except LoadingError as error:
        return watched.last(replace(nothing, undefined=Raised.problem(str(error))))
    except BaseException as error:  # a learner's file may raise anything, SystemExit too
        raised = describe_exception(error, task.files, watched.run)
        return watched.last(replace(nothing, undefined=raised, printed=printed.beginning))
    steps = steps_for(subject, task.is_again)
    evidence = run_probe(
        subject, device, steps, printed, watched.tell, watched.guard, task.patience
    )
    return watched.last(evidence)
