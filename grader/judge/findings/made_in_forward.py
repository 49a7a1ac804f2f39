"""`made-in-forward`: a tensor that every call makes on the CPU."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, Rule
from grader.judge.wording import op_name


class MadeInForward(Rule):
    """Anything created without `device=` is on the CPU, wherever the module is."""

    code = Code.MADE_IN_FORWARD
    summary = "`forward` makes a tensor without a device."
    shows = "loud"

    def explain(self, cause: Cause) -> Fault:
        """A call mixed it with a CUDA tensor, or gave back what was made of it."""
        if cause.result:
            return self.finding(
                cause,
                f"line {cause.line}: `{cause.path}` makes a CPU tensor, and {cause.result} is "
                f"made of it: the result is on the CPU while module and inputs are on "
                f"{cause.expected}.",
                "Make it on the device of the input.",
            )
        named = cause.site.named if cause.site else ""
        if named.endswith(".device"):
            given = named.removesuffix(".device")
            return self.finding(
                cause,
                f"line {cause.line}: `{cause.path}` makes a tensor where `{given}` is, which is "
                f"still on the CPU there; `{op_name(cause.operation)}` then mixes it with a tensor "
                f"on {cause.expected}.",
                f"Move `{given}` before that line, or take the device of a tensor that is there.",
            )
        made = f"line {cause.line}: one of its tensors is made on the CPU in every call"
        if cause.source == "attribute":
            made = f"`{cause.path}` is made in line {cause.line} on the CPU"
        elif cause.name:
            made = f"line {cause.line}: `{cause.name}` makes a CPU tensor on every call"
        return self.finding(
            cause,
            f"{made}, wherever the module is; `{op_name(cause.operation)}` then mixes it with a "
            f"tensor on {cause.expected}.",
            "Make it on the device of a tensor that is there, such as the input's.",
        )
