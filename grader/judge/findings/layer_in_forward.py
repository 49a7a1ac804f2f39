"""`layer-in-forward`: a layer that is built when the module is called."""

from __future__ import annotations

from grader.judge.findings.base import Code, Rule


class LayerInForward(Rule):
    """Its weights are new, random, and unknown to optimizer and checkpoint."""

    code = Code.LAYER_IN_FORWARD
    summary = "`forward` builds a layer with new random weights."
    shows = "loud; silent with `.to(x.device)`"
    message = (
        "line {line} builds a layer while the module is called: its weights are new and random, "
        "and unknown to the move, the optimizer and any checkpoint made before."
    )
    fix = (
        "Build the layer in `__init__`; if a size is not known there, use `nn.LazyLinear` and its "
        "kin."
    )
