"""Calls a function in a child process, which may crash, hang or use up memory."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from grader.probe import (
    GIB,
    Limits,
    Printed,
    Worker,
    into,
    nothing_left_over,
    settle,
)

Note = Callable[[str], None]
MEMORY = 6 * GIB
NO_NETWORK = "an audit has no network, and this would download or connect"


class NoAnswerError(Exception):
    """The child gave no answer.

    Attributes:
        last: what it noted last.
    """

    def __init__(self, reason: str, last: str) -> None:
        super().__init__(reason)
        self.last = last


class TooSlowError(Exception):
    """A step took too long to be one of dozens."""


def audit_limits(seconds: float) -> Limits:
    """What a child may use that runs a package's code."""
    return Limits(seconds, cpu_seconds=None, memory=MEMORY, file_size=None, descriptors=None)


def call_in_child(function: Callable[[Note], Any], seconds: float) -> Any:
    """What `function` returns in a child process: plain data that can be pickled.

    Args:
        function: gets a function with which it notes what it is about to do.
        seconds: the longest time between two notes, or before the answer.

    Raises:
        NoAnswerError: it took longer, or the child ended without an answer.
    """
    last = ""
    with nothing_left_over(), Worker(_call, function, seconds, daemon=True) as worker:
        try:
            while True:
                kind, content = pickle.loads(worker.receive(seconds))
                if kind == "answer":
                    return content
                last = content
        except TimeoutError:
            raise NoAnswerError(f"it took longer than {seconds:.0f} s", last) from None
        except (EOFError, OSError):
            worker.process.join(1)
            reason = f"it ended its process (exit code {worker.process.exitcode})"
            raise NoAnswerError(reason, last) from None


def isolate(folder: str) -> None:
    """In a child, for good: no network, and `folder` as the working directory.

    Modules that download weights when they are built are refused, instead of being audited after
    gigabytes have come. No audit hook (PEP 578): it would be called at each `id` and each look at a
    frame, a twentieth of an audit.
    """
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _unless_local(getattr(socket.socket, name)))
    socket.getaddrinfo = _refuse_network
    os.chdir(folder)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the block after some seconds, where the system has SIGALRM."""
    if sys.platform == "win32":
        yield
        return
    if seconds <= 0:
        raise TooSlowError

    def stop(*_: Any) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _unless_local(connect: Callable[..., Any]) -> Callable[..., Any]:
    """`connect` for sockets of this machine's own processes alone."""

    def connect_locally(self: socket.socket, *arguments: Any) -> Any:
        if self.family != getattr(socket, "AF_UNIX", None):
            _refuse_network()
        return connect(self, *arguments)

    return connect_locally


def _call(connection: Connection, function: Callable[[Note], Any], seconds: float) -> None:
    settle()
    audit_limits(seconds).apply(on_cuda=False)
    with into(Printed()):
        answer = function(lambda text: connection.send(("note", text)))
    connection.send(("answer", answer))
    os._exit(0)


def _refuse_network(*_: Any, **__: Any) -> NoReturn:
    raise OSError(NO_NETWORK)
