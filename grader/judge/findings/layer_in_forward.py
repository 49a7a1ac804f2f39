"""`layer-in-forward`: a layer that is built when the module is called."""

from __future__ import annotations

from grader.judge.attribution import Cause
from grader.judge.codes import Code
from grader.judge.findings.base import Rule
from grader.judge.report import Finding


class LayerInForward(Rule):
    """Its weights are new, on the CPU, and unknown to optimizer and checkpoint."""

    code = Code.LAYER_IN_FORWARD
    summary = "`forward` builds a layer with new random weights."
    shows = "loud; silent with `.to(x.device)`"

    def explain(self, cause: Cause) -> Finding:
        """A call met its weights, or they got a gradient."""
        return self.finding(
            cause.where,
            cause.line,
            f"line {cause.line} builds a layer while the module is called: its weights are new, on "
            "the CPU, and unknown to the move, the optimizer and any checkpoint made before.",
            "Build the layer in `__init__`; if a size is not known there, use `nn.LazyLinear` and "
            "its kin.",
        )


RULE = LayerInForward()
