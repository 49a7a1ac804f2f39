"""The audit of a caught call, in a child process that is a fork of the test process."""

from __future__ import annotations

from dataclasses import dataclass
from operator import call
from typing import ClassVar

from grader.auditing.survey.catching import Caught
from grader.probe import Prepared, Runner, Task, audit_steps, audit_subject


@dataclass(frozen=True)
class CaughtAudit(Task):
    """A module as a test called it."""

    is_graded: ClassVar[bool] = False

    caught: Caught

    def prepare(self, run: Runner = call) -> Prepared:
        """The copies of the module and its inputs."""
        subject = audit_subject(self.caught.module, self.caught.inputs, self.seed)
        return subject, audit_steps(subject)
