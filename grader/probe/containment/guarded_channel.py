"""Sends a probe's evidence, after checking that the learner's code has not tampered with it.

If it has, the learner's line that replaced a name is looked for and named.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from operator import call
from pathlib import Path
from typing import Any, NoReturn

from msgspec.structs import replace

from grader.loading import LoadingError, read_source
from grader.probe.containment.channel import Message, Send
from grader.probe.containment.guard import stand_guard
from grader.probe.containment.limits import Limits
from grader.probe.printed import OutputLimitError
from grader.probe.running import Runner
from grader.probe.tasks import Task
from grader.schema import Evidence, Refused

MOST_REFUSED = 20


class GuardedChannel:
    """Sends evidence to the parent, each time after the guard's check.

    Attributes:
        guard: runs the learner's code apart from the probe; None for an audit: it gives no marks.
    """

    def __init__(self, task: Task, limits: Limits, send: Send) -> None:
        self.guard: Runner | None = None
        self._check: Callable[[], None] = lambda: None
        self._limits = limits
        self._refused: dict[Refused, None] = {}
        self._counts_output = task.is_graded and sys.platform == "linux"
        if task.is_graded:
            files = frozenset({*task.files, *map(os.path.realpath, task.files)})
            self.guard, self._check = stand_guard(_reporter(send), _noting(self._refused), files)
            send = _checking(self._check, send)
        self._send = send

    def run(self, action: Callable[[], Any]) -> Any:
        """Run `action`, which calls the learner's code, and return or raise what it does."""
        return self.guard(action) if self.guard else call(action)

    def tell(self, evidence: Evidence) -> None:
        """Send it, as what is known so far.

        Raises:
            OutputLimitError: the learner's code has written too much past Python's streams.
        """
        if self._is_written_out():
            raise OutputLimitError
        self._send(Message(evidence))

    def last(self, evidence: Evidence) -> Evidence:
        """`evidence` after a last check, with refused requests, and the output limit if reached."""
        self._check()
        evidence = replace(evidence, refused=tuple(self._refused))
        if evidence.ending == "complete" and self._is_written_out():
            return replace(evidence, ending="output_limit")
        return evidence

    def _is_written_out(self) -> bool:
        return self._counts_output and self._limits.are_written_out


def _reporter(send: Send) -> Callable[[str, str], NoReturn]:
    leave, message = os._exit, Message  # names that may be bound again

    def report(what: str, name: str) -> NoReturn:
        send(message(tampered=what, bound=name))
        leave(0)

    return report


def _checking(check: Callable[[], None], send: Send) -> Send:
    def send_checked(message: Message) -> None:
        check()
        send(message)

    return send_checked


def _noting(refused: dict[Refused, None]) -> Callable[[str, int], None]:
    fact, size, most = Refused, len, MOST_REFUSED

    def note(what: str, line: int) -> None:
        if size(refused) < most:
            refused[fact(what, line)] = None

    return note


def rebinding_line(name: str, files: Iterable[str]) -> int:
    """The line that binds `name`, such as `torch.equal`, in one of `files`; 0 if none is seen."""
    last = re.escape(name.rpartition(".")[2])
    bound = re.compile(rf"\.{last}\s*=(?!=)|del .*\.{last}\b|['\"]{last}['\"]")
    for file in sorted(files):
        with suppress(LoadingError):
            for number, line in enumerate(read_source(Path(file)).split("\n"), 1):
                if bound.search(line.partition("#")[0]):
                    return number
    return 0
