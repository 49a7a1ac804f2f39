"""The audit of a caught call, in a child process that is a fork of the test process."""

from __future__ import annotations

from dataclasses import dataclass
from operator import call
from typing import ClassVar

from grader.inspection.source import CodeOrigin
from grader.probe.audit.stages import audit_steps
from grader.probe.audit.subject import audit_subject
from grader.probe.tasks import Prepared, Task
from grader.surveys.catching import Caught


@dataclass(frozen=True)
class CaughtAudit(Task):
    """A module as a test called it."""

    is_graded: ClassVar[bool] = False

    caught: Caught

    def prepare(self, run: CodeOrigin = call) -> Prepared:
        """The copies of the module and its inputs."""
        subject = audit_subject(self.caught.module, self.caught.inputs, self.seed)
        return subject, audit_steps(subject)
