"""`parameter-overwritten`: an assignment that would replace a Parameter by a plain tensor."""

from __future__ import annotations

from grader.judge.findings.base import Code, Rule


class ParameterOverwritten(Rule):
    """PyTorch refuses the assignment, so the exception's text tells it: see `patterns.py`."""

    code = Code.PARAMETER_OVERWRITTEN
    summary = "A tensor is assigned over a Parameter."
    shows = "loud, on the CPU too"
    checks = ("parameters", "forward")
