"""`opaque-holder`: a tensor inside an object that is no module."""

from __future__ import annotations

from grader.judge.attribution import Cause
from grader.judge.codes import Code
from grader.judge.findings.base import Rule
from grader.judge.report import Finding


class OpaqueHolder(Rule):
    """`Module.to` looks into modules only."""

    code = Code.OPAQUE_HOLDER
    summary = "Tensors are inside an object that is no module."
    shows = "loud; silent for samples"

    def explain(self, cause: Cause) -> Finding:
        """An unregistered tensor, reached through that object."""
        return self.finding(
            cause.where,
            cause.line,
            f"`{cause.where}` lives in a {cause.holder}, which is no `nn.Module`: `.cuda()` does "
            "not look into it, so the tensor stays on the CPU.",
            f"Keep the tensor as a buffer of the module, and build the {cause.holder} from it in "
            "`forward`.",
        )


RULE = OpaqueHolder()
