"""`to-result-dropped`: a tensor is moved, and its moved copy is thrown away."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, Rule


class ToResultDropped(Rule):
    """`Tensor.to` returns a new tensor; only `Module.to` works in place."""

    code = Code.TO_RESULT_DROPPED
    summary = "`t.to(device)` as a statement changes nothing."
    shows = "loud"

    def explain(self, cause: Cause) -> Fault:
        """The old tensor was used after the line that moved it."""
        fix = "Keep the result under the name that is used later; in a loop over tensors, in a new "
        fix += "list. Only `Module.to` works in place."
        if any(fact.role == "plain" and not fact.holder for fact in cause.group):
            buffer = "a buffer" if cause.saved else "a buffer with `persistent=False`"
            fix = f"Register it in `__init__` as {buffer}, and leave line {cause.line} out: then "
            fix += "every move of the module takes it along."
        message = (
            f"line {cause.line} moves a tensor, but `Tensor.to` returns a new tensor and leaves "
            f"the old one where it is; {cause.used} then uses the old one."
        )
        bound, equals, _ = cause.moved_code.partition(" = ")
        if equals and bound.isidentifier():
            message = (
                f"line {cause.line} makes a moved copy, and rebinds the name `{bound}` to it "
                "and no other name. The old tensor stays where it is, and "
                f"{cause.used} still uses it."
            )
        return self.finding(cause, message, fix)
