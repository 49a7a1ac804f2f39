"""Runs the learner's code in a thread of its own, from which no frame leads to the probe.

A Python frame leads to its caller, and so to every local variable of the code that called it. Code
that runs in the probe's own thread needs one line for that: `sys._getframe`, an exception's
traceback, a generator, `inspect`, `logging`, a trace function. In a thread of its own all of these
work, and end at the loop below.

PyTorch's modes, its default device and its grad mode belong to a thread too. A mode that the
learner's code leaves on is switched off when the code returns, and the probe never sees it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

import torch

from grader.probe.running import Action, Runner

STACK = 64 * 2**20  # bytes; a recursion of 5,000 calls needs more than a thread's 8 MiB
_Outcome = tuple[Any, BaseException | None]
_Job = tuple[Action, bool]


class LearnerThread(NamedTuple):
    """A thread that runs the learner's code.

    Attributes:
        run: `run(action)` gives what `action()` gives, or raises what it raises, run in the thread,
            with the caller's grad mode.
        thread: the thread, as Python's `threading` knows it.
    """

    run: Runner
    thread: threading.Thread


def learner_thread(begin: Callable[[], None], end: Callable[[], None]) -> LearnerThread:
    """Start the thread.

    Args:
        begin: called before each action, in the calling thread.
        end: called after each action, in the calling thread, before anything else happens there.
    """
    jobs: SimpleQueue[_Job] = SimpleQueue()
    results: SimpleQueue[_Outcome] = SimpleQueue()
    size = threading.stack_size(STACK)
    thread = threading.Thread(target=_serve, args=(jobs, results), daemon=True)
    thread.start()
    threading.stack_size(size)
    put, get, number = jobs.put, results.get, thread.ident
    this_thread, is_grad_enabled = threading.get_ident, torch.is_grad_enabled

    def run(action: Action) -> Any:
        if this_thread() == number:  # the learner's code called something that calls it again
            return action()
        begin()
        put((action, is_grad_enabled()))
        result, error = get()
        end()
        if error is not None:
            raise error
        return result

    return LearnerThread(run, thread)


def _serve(jobs: SimpleQueue[_Job], results: SimpleQueue[_Outcome]) -> None:
    """Do one job after another.

    To ask for PyTorch's number of threads sets OpenMP's in this one. Each thread has its own, of
    all cores at first, and oneDNN and MKL take that: they would start a thread a core for every
    small product, and wait for them in a loop.
    """
    torch.get_num_threads()
    modes = _modes_on()
    while True:
        results.put(_outcome(*jobs.get(), modes))


def _outcome(action: Action, grad: bool, modes: tuple[int, int]) -> _Outcome:
    """The action's result, and its exception or None."""
    torch.set_grad_enabled(grad)
    try:
        return action(), None
    except BaseException as error:
        return None, error
    finally:
        _settle(modes)


def _modes_on() -> tuple[int, int]:
    """How many function modes and dispatch modes of PyTorch are on in this thread."""
    return torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()


def _settle(modes: tuple[int, int]) -> None:
    """Reset this thread: trace and profile functions, default device, anomaly mode, modes.

    Args:
        modes: how many function modes and dispatch modes were on before the first action.
    """
    sys.settrace(None)
    sys.setprofile(None)
    torch.set_default_device(None)
    torch.set_anomaly_enabled(False)  # it would look at the stack of whoever computes next
    functions, dispatches = modes
    while torch._C._len_torch_function_stack() > functions:
        torch._C._pop_torch_function_stack()
    while torch._C._len_torch_dispatch_stack() > dispatches:
        torch._C._pop_torch_dispatch_stack(None)
