"""`opaque-holder`: a tensor inside an object that is no module."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, Rule


class OpaqueHolder(Rule):
    """`Module.to` looks into modules only."""

    code = Code.OPAQUE_HOLDER
    summary = "Tensors are inside an object that is no module."
    shows = "loud; silent for samples"

    def explain(self, cause: Cause) -> Fault:
        """One that may as well be a module, or that is built from its tensors."""
        fix = f"Keep the tensor as a buffer of the module, and build the {cause.holder} from it in "
        fix += "`forward`."
        if any(fact.is_parameter for fact in cause.group):
            fix = f"Make the {cause.holder} an `nn.Module`, which registers what is assigned to "
            fix += "it; several belong in an `nn.ModuleList`."
        return self.finding(
            cause,
            f"`{cause.path}` lives in a {cause.holder}, which is no `nn.Module`: `.cuda()` does "
            "not look into it, so the tensor stays on the CPU.",
            fix,
        )
