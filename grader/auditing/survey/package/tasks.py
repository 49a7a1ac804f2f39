"""The audit of one class of a package, in a child process."""

from __future__ import annotations

from dataclasses import dataclass
from operator import call
from typing import Any, ClassVar

from torch import nn

from grader.auditing.survey.package.discovery import Found
from grader.auditing.survey.package.docstrings import call_in_docstring
from grader.auditing.survey.package.expressions import inputs_from, maker
from grader.auditing.survey.run_in_child import isolate
from grader.auditing.survey.survey import Plan
from grader.loading import LoadingError
from grader.probe import (
    Prepared,
    Runner,
    Task,
    audit_steps,
    audit_subject,
    seed_generators,
    torch_as_it_was,
)


@dataclass(frozen=True)
class PlannedAudit(Task):
    """A class, built and called as a plan says.

    Attributes:
        folder: the working directory for the class's code.
    """

    is_graded: ClassVar[bool] = False

    found: Found
    plan: Plan
    folder: str

    def prepare(self, run: Runner = call) -> Prepared:
        """Import the class, and make its inputs."""
        isolate(self.folder)
        seed_generators(self.seed)
        target, inputs = planned_target(self.found.load(), self.plan)
        subject = audit_subject(target, inputs, self.seed)
        return subject, audit_steps(subject, is_called=inputs is not None)


def planned_target(cls: type[nn.Module], plan: Plan) -> tuple[Any, Any]:
    """What to audit, a module or a function that makes one, and its inputs, None without any."""
    if plan.inputs_from == "docstring":
        return _shown(cls)
    target = maker(cls, plan.arguments)
    if plan.inputs is None:
        return target, None
    with torch_as_it_was():
        return target, inputs_from(plan.inputs, target())


def _shown(cls: type[nn.Module]) -> tuple[nn.Module, Any]:
    """The module and the inputs of the call in the class's docstring."""
    caught = call_in_docstring(cls)
    if caught is None:
        raise LoadingError("The example in the docstring made a call once, but not again.")
    return caught.module, caught.inputs
