"""A child process that does work for this one, and the pipe between the two.

Each host of such a child needs the same six things:

1. A start: a fork where that is safe (it has PyTorch loaded already), else a new process.
2. Only its own end of the pipe. A fork has copies of the parent's ends, and while one copy is open,
   whoever reads from the other end does not notice that the parent is gone.
3. An end with the parent. On Linux the kernel kills the child (PR_SET_PDEATHSIG), whatever it is
   doing; elsewhere it ends when it next reads from the pipe or writes to it.
4. No Ctrl-C: a terminal sends SIGINT to every process in the foreground, and the parent decides.
5. A deadline, of two kinds. `send` sets a timer that kills the child: its end of the pipe closes,
   and that ends even a read in the middle of a message. `receive` waits for so long, and the host
   decides.
6. A kill, and a wait for its end, so that no zombie is left.

Messages are bytes. The hosts decide what they hold: JSON, which msgspec checks, or a pickle where
the reader trusts the writer.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from threading import Timer
from typing import Any

from grader.probe.containment.processes import die_with_parent, wait_for_end


class Worker:
    """A child process; leaving its `with` block kills it.

    Attributes:
        process: of `multiprocessing`.
        connection: this process's end of the pipe.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *arguments: Any,
        context: Any = None,
        daemon: bool = False,
        not_theirs: Iterable[Connection] = (),
    ) -> None:
        """Start the child.

        Args:
            work: what it runs, with its end of the pipe and the `arguments`.
            arguments: of `work`; where the child is no fork, they are pickled.
            context: of `multiprocessing`; by default that of `how_to_start`, which loads PyTorch.
            daemon: whether `multiprocessing` refuses children to it.
            not_theirs: other pipes of this process that a fork must not keep open.
        """
        context = context or _default_context()
        self.connection, theirs = context.Pipe()
        is_fork = context.get_start_method() == "fork"
        inherited = [self.connection, *not_theirs] if is_fork else []
        self.process = context.Process(
            target=_begin, args=(work, theirs, inherited, arguments), daemon=daemon
        )
        self.process.start()
        theirs.close()
        self._timer: Timer | None = None

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message; if the child has ended, `receive` will say so.

        Args:
            message: what to send.
            seconds: unless `receive` returns within them, the child is killed. The timer is a
                thread: do not fork meanwhile.
        """
        if seconds is not None:
            self._timer = Timer(seconds, self.process.kill)
            self._timer.daemon = True
            self._timer.start()
        with suppress(OSError):
            self.connection.send_bytes(message)

    def receive(self, seconds: float | None = None) -> bytes:
        """The child's next message.

        Args:
            seconds: how long to wait for it; without end, unless given.

        Raises:
            TimeoutError: there was none in time; the child lives on.
            EOFError, OSError: the child has ended.
        """
        try:
            if seconds is not None and not self.connection.poll(seconds):
                raise TimeoutError
            message: bytes = self.connection.recv_bytes()
            return message
        finally:
            self._stop_timer()

    def kill(self, seconds: float | None = None) -> None:
        """Kill the child, and wait for its end, but no longer than `seconds` if they are given.

        A process that hangs in a driver outlives SIGKILL until the driver returns.
        """
        self._stop_timer()
        self.process.kill()
        if seconds is None:
            self.process.join()
        else:
            wait_for_end(self.process, seconds)

    def close(self) -> None:
        """Kill the child, and close the pipe to it, from which no thread may be reading."""
        self.kill()
        self.connection.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


def answer_messages(connection: Connection, answer: Callable[[bytes], bytes | None]) -> None:
    """In the child: answer one message after another, until an empty one or the parent's end.

    Args:
        connection: the child's end of the pipe.
        answer: gives the reply; None for no reply. If it raises EOFError or OSError, as when a
            process that it needs has ended, this child ends too.
    """
    with suppress(EOFError, OSError):
        while message := connection.recv_bytes():
            reply = answer(message)
            if reply is not None:
                connection.send_bytes(reply)


def _default_context() -> Any:
    from grader.probe.containment.supervisor import how_to_start  # loads PyTorch

    return how_to_start()


def _begin(
    work: Callable[..., None],
    connection: Connection,
    inherited: Iterable[Connection],
    arguments: tuple[Any, ...],
) -> None:
    for theirs in inherited:
        theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    parent = parent_process()
    assert parent is not None  # as in every child
    if os.getppid() != parent.pid:  # it died before PR_SET_PDEATHSIG was set
        return
    work(connection, *arguments)
