"""`input-transfer`: an input that the module's own mover did not reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.judge.attribution import misplaced_operand
from grader.judge.findings.base import Cause, Code, Fault, Rule, RuleContext
from grader.schema import Phase


class InputTransfer(Rule):
    """Nested tuples, lists and dicts are easily overlooked."""

    code = Code.INPUT_TRANSFER
    summary = "A part of a nested batch is not moved."
    shows = "loud"

    def explain(self, cause: Cause) -> Fault:
        """A call met an input that is still where it was given."""
        if "[" in cause.name:
            message = (
                f"The module moves its inputs itself, but `{cause.name}` is still on "
                f"{cause.device} in line {cause.line}: the mover does not reach it. Nested tuples, "
                "lists and dicts are easily overlooked."
            )
            fix = "Move every leaf, by a small function that calls itself for tuples, lists and "
            fix += "dicts."
        else:
            message = (
                f"`{cause.name}` was given on {cause.device}, and is still there in line "
                f"{cause.line}: neither it nor anything made from it was moved."
            )
            fix = "Move it before it is used, and keep the result. The device is that of the "
            fix += "tensors that it is used with, such as a layer's weight."
        return self.finding(cause, message, fix)

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: a module that moves its inputs, but not what is nested in them."""
        run = context.evidence.run_of(Phase.CPU_INPUTS)
        if not context.is_audit or run is None or run.raised is None or not run.moved_inputs:
            return
        for raised in (run.raised.origin, *(run.helped.met if run.helped else ())):
            operand = misplaced_operand(raised, run.device)
            if operand and operand.source == "input" and re.search(r"[\[.]", operand.name):
                name, line, file = operand.name, raised.line, raised.file
                cause = Cause(self.code, name, line, name=name, device=operand.device, file=file)
                yield self.explain(cause)
