"""`opaque-holder`: a tensor inside an object that is no module."""

from __future__ import annotations

from grader.judge.findings.base import Code, Rule


class OpaqueHolder(Rule):
    """`Module.to` looks into modules only."""

    code = Code.OPAQUE_HOLDER
    summary = "Tensors are inside an object that is no module."
    shows = "loud; silent for samples"
    message = (
        "`{path}` lives in a {holder}, which is no `nn.Module`: `.cuda()` does not look into it, "
        "so the tensor stays on the CPU."
    )
    fix = "Keep the tensor as a buffer of the module, and build the {holder} from it in `forward`."
