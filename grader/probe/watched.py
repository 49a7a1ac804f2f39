"""A probe whose code may want to deceive: who watches it, and what is told of it."""

from __future__ import annotations

import os
import pdb
import sys
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

from grader.evidence import Evidence
from grader.probe.channel import Message, Sender
from grader.probe.guard import Guard, TamperedError
from grader.probe.guard.events import watch
from grader.probe.limits import Limits
from grader.probe.printed import OutputLimitError
from grader.probe.tasks import Task

KEPT = ("simulated_cuda",)


class Watched:
    """Tells the parent the evidence, for as long as nothing is wrong with how it came about.

    Attributes:
        guard: looks at PyTorch, the grader and the module whenever the learner's code has run; None
            where there are no marks to be had.
    """

    def __init__(self, task: Task, limits: Limits, sender: Sender, beginning: CodeType) -> None:
        self.guard: Guard | None = None
        self._limits = limits
        self._sender = sender
        self._counts_output = task.is_graded and sys.platform == "linux"
        if task.is_graded:
            own_files = frozenset(os.path.realpath(each) for each in task.files)
            watch(_reporter(sender), own_files, beginning)
            self.guard = Guard()

    def tell(self, evidence: Evidence) -> None:
        """Send it, as what is known so far.

        Raises:
            OutputLimitError: the learner's code has written too much past Python's streams.
        """
        if self._is_written_out():
            raise OutputLimitError
        self._sender.send(Message(evidence))

    def look(self) -> None:
        """Let the guard look, if there is one.

        Raises:
            TamperedError: something is not as it should be.
        """
        if self.guard:
            self.guard.look()

    def last(self, evidence: Evidence) -> Evidence:
        """It, or what else is to be said at the end."""
        try:
            if evidence.ending != "tampered":
                self.look()
        except TamperedError as error:
            return replace(evidence, ending="tampered", detail=str(error))
        if evidence.ending == "complete" and self._is_written_out():
            return replace(evidence, ending="output_limit")
        return evidence

    def _is_written_out(self) -> bool:
        return self._counts_output and self._limits.are_written_out


def silence_commands() -> None:
    """Make nothing of a `check("04", Net)` that was left at the end of a learner's file.

    And let a `breakpoint()` that was left in say so: it would look into our frames.
    """
    ours = sys.modules["grader"]
    for name in set(ours.__all__) - {*KEPT}:
        vars(ours)[name] = _nothing
    sys.breakpointhook = pdb.set_trace = _nobody_is_there


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What a command does where its answer is being graded."""


def _nobody_is_there(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError(
        "a breakpoint waits for somebody to look, and nobody is there while an answer is graded: "
        "take it out"
    )


def _reporter(sender: Sender) -> Any:
    leave = os._exit  # the learner's code may bind the name anew

    def report(what: str) -> NoReturn:
        sender.send(Message(tampered=what))
        leave(0)

    return report
