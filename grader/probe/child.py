"""Probes a learner's file in a process of its own, which sends its evidence as JSON.

Whatever the code does to its process - exit, loop, use up memory - is then a fact about the code,
and not the end of the grading.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec
import torch

from grader.evidence import Evidence, Raised
from grader.loading import LoadingError
from grader.probe.device import NoCudaDeviceError, cuda_device
from grader.probe.printed import OutputLimitError, Printed, into
from grader.probe.session import run_probe
from grader.probe.source import describe_exception
from grader.probe.tasks import Task
from grader.simulated_cuda.dtensor import answer_without_importing

TIME_LIMIT = 60.0


@dataclass(frozen=True)
class Message:
    """What the child sends: the evidence so far, whether that is all, or why there can be none."""

    evidence: Evidence | None = None
    done: bool = False
    refused: str = ""


class RefusedError(Exception):
    """There is no evidence, and it is not the learner's fault: no such device, or our own fault."""


def probe_in_child(task: Task, time_limit: float = TIME_LIMIT) -> Evidence:
    """The evidence of `task`, however its code behaves, within `time_limit` seconds.

    Raises:
        RefusedError: nothing can be said about the learner's code.
    """
    context = how_to_start()
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_main, args=(task, sender), daemon=True)
    child.start()
    sender.close()
    try:
        return receive(receiver, task, time_limit)
    finally:
        child.kill()
        child.join()
        receiver.close()


def how_to_start() -> Any:
    """Forking costs nothing once torch is loaded; elsewhere than on Linux it is not safe."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def receive(
    receiver: Connection, task: Task, time_limit: float, interrupt: Connection | None = None
) -> Evidence:
    """The last evidence the child sent, marked with how it ended.

    Args:
        receiver: what the child sends through.
        task: what the child does.
        time_limit: in seconds, from now.
        interrupt: anything to be read here ends the waiting.

    Raises:
        RefusedError: nothing can be said about the learner's code.
        InterruptedError: nobody waits for this evidence any longer.
    """
    deadline = time.monotonic() + time_limit
    evidence = Evidence(device="none", torch=str(torch.__version__), seed=task.seed)
    sources = [receiver] if interrupt is None else [receiver, interrupt]
    while ready := wait(sources, max(0.0, deadline - time.monotonic())):
        if interrupt in ready:
            raise InterruptedError
        try:
            message = msgspec.json.decode(receiver.recv_bytes(), type=Message)
        except EOFError:
            return replace(evidence, ending="crashed")
        if message.refused:
            raise RefusedError(message.refused)
        evidence = message.evidence or evidence
        if message.done:
            return evidence
    return replace(evidence, ending="timeout")


def _main(task: Task, sender: Connection) -> None:
    settle()
    run_task(task, sender)


def settle() -> None:
    """Make a new child fit to run a learner's code.

    Ctrl-C is the parent's business, so a KeyboardInterrupt here is the learner's.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)  # threads do not survive a fork
    gc.freeze()  # a collection would look through, and so copy, all that the parent holds
    answer_without_importing()


def run_task(task: Task, sender: Connection) -> None:
    """What a child does, once it has settled."""

    def send(message: Message) -> None:
        sender.send_bytes(msgspec.json.encode(message))

    try:
        with cuda_device(task.device) as device:
            send(Message(_probe(task, device, lambda evidence: send(Message(evidence))), done=True))
    except NoCudaDeviceError as error:
        send(Message(refused=str(error)))
    except BaseException:
        fault = traceback.format_exc(limit=-3)
        send(Message(refused=f"The grader itself failed. Please report this:\n{fault}"))


def _probe(task: Task, device: str, tell: Callable[[Evidence], None]) -> Evidence:
    printed = Printed()
    nothing = Evidence(device=device, torch=str(torch.__version__), seed=task.seed)
    tell(nothing)
    try:
        with into(printed):
            subject, stages = task.prepare()
    except OutputLimitError:
        return replace(nothing, ending="output_limit", printed=printed.beginning)
    except LoadingError as error:
        return replace(nothing, undefined=Raised("", str(error)))
    except BaseException as error:  # a learner's file may raise anything, SystemExit too
        raised = describe_exception(error, task.files)
        return replace(nothing, undefined=raised, printed=printed.beginning)
    return run_probe(subject, device, stages, printed, tell)
