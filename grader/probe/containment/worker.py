"""A child process that does work for this one, and the pipe between the two.

1. The child is a fork where that is safe, and has PyTorch loaded then; else it is spawned.
2. A fork closes the parent's ends of pipes that it has copies of. While one copy is open, whoever
   reads from the other end does not notice that the parent is gone.
3. It ends with the parent. On Linux the kernel kills it (PR_SET_PDEATHSIG), whatever it is doing;
   elsewhere it ends when it next reads from the pipe or writes to it.
4. It ignores SIGINT: Ctrl-C reaches each process of a terminal, and the parent decides.
5. A deadline is one of two kinds. That of `send`, or of a message that has begun, kills the child:
   its end of the pipe closes, which ends a read in the middle. That of `receive` is the host's.

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

from grader.probe.containment.processes import die_with_parent


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
            work: what it runs: a function of its end of the pipe and of `arguments`.
            arguments: pickled, if it is no fork.
            context: of `multiprocessing`; that of `how_to_start`, unless given.
            daemon: whether `multiprocessing` refuses it children.
            not_theirs: ends of other pipes, which a fork has to close.
        """
        if context is None:
            from grader.probe.containment.supervisor import how_to_start  # loads PyTorch

            context = how_to_start()
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        copies = [self.connection, *not_theirs] if context.get_start_method() == "fork" else []
        self.process = context.Process(
            target=_begin, args=(work, theirs, copies, arguments), daemon=daemon
        )
        self.process.start()
        theirs.close()
        self._timer: Timer | None = None

    def send(self, message: bytes, seconds: float | None = None) -> None:
        """Send a message. If the child has ended, `receive` will raise.

        Args:
            message: not empty, except to end `answer_messages`.
            seconds: unless `receive` ends within them, the child is killed. The timer is a thread,
                so do not fork meanwhile.
        """
        self._kill_after(seconds)
        with suppress(OSError):
            self.connection.send_bytes(message)

    def receive(self, seconds: float | None = None) -> bytes:
        """The child's next message, waited for no longer than `seconds`, if given.

        Raises:
            TimeoutError: none began in time; the child lives on.
            EOFError, OSError: the child has ended, or was killed in a message that did not.
        """
        try:
            if seconds is not None and not self.connection.poll(seconds):
                raise TimeoutError
            self._kill_after(seconds)
            return self.connection.recv_bytes()
        finally:
            self._stop_timer()

    def kill(self) -> None:
        """Kill the child and wait for its end. A thread may be in `receive`, which then raises."""
        self._stop_timer()
        self.process.kill()
        self.process.join()

    def close(self) -> None:
        self.kill()
        self.connection.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _kill_after(self, seconds: float | None) -> None:
        if seconds is not None:
            self._timer = Timer(seconds, self.process.kill)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()


def answer_messages(connection: Connection, answer: Callable[[bytes], bytes | None]) -> None:
    """In the child: answer each message, until an empty one comes or the parent has gone.

    Args:
        connection: the child's end of the pipe.
        answer: gives the reply, None for none. If it raises EOFError or OSError, as when another
            process has gone that it needs, this ends too.
    """
    with suppress(EOFError, OSError):
        while message := connection.recv_bytes():
            reply = answer(message)
            if reply is not None:
                connection.send_bytes(reply)


def _begin(
    work: Callable[..., None],
    connection: Connection,
    copies: Iterable[Connection],
    arguments: tuple[Any, ...],
) -> None:
    for theirs in copies:
        theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    if (parent := parent_process()) and os.getppid() == parent.pid:  # it lived until prctl
        work(connection, *arguments)
