"""Replaces what honest code does and a probe's process cannot do. For children only.

- `DataLoader` with workers: forks are refused, so it loads in this process.
- A breakpoint raises, instead of waiting for input.
- `signal.signal` does nothing: only the main thread may set a handler, and the learner's code runs
  in another. Timers and user signals are ignored.
- `os.kill(os.getpid(), SIGKILL)`: it exits instead. SIGKILL then always comes from outside, such as
  from the kernel for lack of memory, and the probe is tried again.
"""

from __future__ import annotations

import os
import pdb
import signal
import sys
from typing import Any, NoReturn

from torch.utils.data import DataLoader, dataloader

ALARMS = ("SIGALRM", "SIGVTALRM", "SIGPROF", "SIGUSR1", "SIGUSR2")
KILLED = 128 + 9  # the exit code that a shell reports for SIGKILL


def exit_on_own_kill() -> None:
    """Make this process exit where it kills itself, from Python and for good."""
    if sys.platform != "linux" or hasattr(os.kill, "__wrapped__"):
        return
    send, own_pid, leave, killing = os.kill, os.getpid, os._exit, signal.SIGKILL

    def kill(pid: int, number: int, /) -> None:
        if pid == own_pid() and number == killing:
            leave(KILLED)
        send(pid, number)

    def raise_signal(number: int, /) -> None:
        kill(own_pid(), number)

    kill.__wrapped__ = send  # type: ignore[attr-defined]
    os.kill, signal.raise_signal = kill, raise_signal


def stand_alone() -> None:
    """Replace all of these but `os.kill`, for good."""
    _load_in_process()
    sys.breakpointhook = pdb.set_trace = _nobody_is_there
    for name in ALARMS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal = _keep_handler  # type: ignore[assignment]


def _keep_handler(number: int, handler: Any) -> Any:
    return signal.getsignal(number)


def _nobody_is_there(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError(
        "a breakpoint waits for somebody to look, and nobody is there while an answer is graded: "
        "take it out"
    )


def _load_in_process() -> None:
    """Give a `DataLoader` with workers the iterator of one without, for good.

    It loads the same batches in the same order. `worker_init_fn` is not called, and
    `get_worker_info()` is None, so a data set that shares itself out among workers is whole.
    """
    iterator = dataloader._SingleProcessDataLoaderIter

    def get_iterator(self: Any) -> Any:
        workers, timeout = self.num_workers, self.timeout
        self.num_workers, self.timeout = 0, 0
        try:
            return iterator(self)
        finally:
            self.num_workers, self.timeout = workers, timeout

    DataLoader._get_iterator = get_iterator  # type: ignore[method-assign]
