"""The base class of the rules, the facts that they read, and the sightings that they yield."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from grader.judge.attribution import Cause, How, Shown, causes_in_audit, causes_in_exercise
from grader.judge.codes import Code
from grader.judge.findings.patterns import faults_in_exceptions
from grader.judge.fixes.fix import Fault
from grader.judge.wording import on_device
from grader.schema import (
    CheckName,
    Evidence,
    Location,
    Optimizer,
    Rubric,
    Severity,
    TensorFact,
)

__all__ = ["Cause", "Code", "Fault", "How", "Rule", "RuleContext", "Shown", "Sighting"]


@dataclass(frozen=True)
class RuleContext:
    """What a rule may read.

    Attributes:
        rubric: what the exercise asks, None in an audit.
        causes: whose tensors are on the wrong device or unregistered, and why.
        recognised: the findings that the text of an exception gives.
    """

    evidence: Evidence
    rubric: Rubric | None
    causes: tuple[Cause, ...]
    recognised: tuple[Fault, ...]

    @classmethod
    def of(cls, evidence: Evidence, rubric: Rubric | None) -> RuleContext:
        """Attribute every tensor, once for all rules."""
        causes = causes_in_exercise(evidence) if rubric else causes_in_audit(evidence)
        if rubric:
            of = "a Parameter's" if rubric.recipe.inputs_stay else "the input's"
            causes = (replace(c, saved=rubric.saves(c.path), device_of=of) for c in causes)
        return cls(evidence, rubric, tuple(causes), tuple(faults_in_exceptions(evidence)))

    @property
    def is_audit(self) -> bool:
        """Whether no exercise says what is right, so that only harm counts."""
        return self.rubric is None


@dataclass(frozen=True)
class Sighting:
    """A finding, and how it came to light.

    Attributes:
        order: of what a call showed, its place among the causes: the first call's come first.
    """

    finding: Fault
    shown: Shown = Shown.HELD
    order: int = 0


Located = Cause | Optimizer | Location | TensorFact


class Rule:
    """One kind of fault, in a module that is named after its code.

    A rule is asked for the causes that carry its code (`explain`) and for what it can tell from
    the evidence by itself (`search`). What an exception's text gives away is in `patterns`.

    Attributes:
        summary: one line of Markdown for the index and `grader explain`.
        shows: loud, if CUDA raises an error; silent, if nothing raises and the model is wrong.
        message, fix: what `explain` says, with the fields of a cause in braces, and its `used`.
        severity: of what `search` finds, where it says nothing else.
        searched: how what `search` finds came to light.
        checks: the exercise's checks that an error of this kind belongs to, most fitting first; see
            `scoring.py`.
    """

    code: ClassVar[Code]
    summary: ClassVar[str]
    shows: ClassVar[str]
    message: ClassVar[str] = ""
    fix: ClassVar[str] = ""
    severity: ClassVar[Severity] = "error"
    searched: ClassVar[Shown] = Shown.HELD
    checks: ClassVar[tuple[CheckName, ...]] = ()

    def find(self, context: RuleContext) -> Iterator[Sighting]:
        """All findings of this code: what an exception says, what the calls show, what is left."""
        for finding in context.recognised:
            if finding.code == self.code:
                yield Sighting(finding)
        for order, cause in enumerate(context.causes):
            if cause.code == self.code:
                finding = self.explain(cause)
                if cause.shown is Shown.HELD and context.is_audit:
                    finding = replace(finding, severity="warning", may_be_meant=True)
                if cause.how is How.CALLED_BEFORE:
                    finding = _of_a_call_before_the_move(finding)
                yield Sighting(finding, cause.shown, order)
        for finding in self.search(context):
            yield Sighting(finding, self.searched)

    def explain(self, cause: Cause) -> Fault:
        """The finding for a cause: `message` and `fix` filled with the cause's fields."""
        fields = {**vars(cause), "used": cause.used}
        message, fix = self.message.format(**fields), self.fix.format(**fields)
        return self.finding(cause, message, fix)

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """Yield findings that need no cause, from the evidence alone."""
        yield from ()

    def loaded_fault(self, cause: Cause) -> Fault:
        """For a cause of `How.LOADED`: a checkpoint's tensor, kept as it was loaded."""
        return self.finding(
            cause,
            f"`{cause.path}` is taken from a checkpoint as it is: where that was loaded to the CPU "
            f"and the module is on {cause.expected}, it stays on the CPU, and {cause.used} uses "
            "it.",
            "Copy what is loaded into the tensor that is there, with `copy_`, or bring it to that "
            "tensor's device.",
        )

    def finding(
        self, at: Located, message: str, fix: str, severity: Severity | None = None
    ) -> Fault:
        """A finding of this code, by default with this rule's severity."""
        severity, code = severity or self.severity, self.code.value
        fault = Fault(code, severity, at.path, at.line, message, fix, file=at.file)
        if not isinstance(at, Cause):
            return fault
        scope = at.site.scope if at.site else ()
        there = tuple(name for name, device in scope if on_device(device, at.expected))
        return replace(fault, site=at.site, there=there)


def _of_a_call_before_the_move(fault: Fault) -> Fault:
    """`fault` of a module that works if it is moved first: a warning, but where that is asked."""
    message = f"{fault.message} A module that is moved before its first call works."
    return replace(fault, message=message, severity="warning", variant="called before the move")
