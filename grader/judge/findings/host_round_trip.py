"""`host-round-trip`: NumPy is asked to read GPU memory."""

from __future__ import annotations

from grader.judge.attribution import Cause
from grader.judge.codes import Code
from grader.judge.findings.base import Rule
from grader.judge.report import Finding


class HostRoundTrip(Rule):
    """NumPy reads CPU memory only."""

    code = Code.HOST_ROUND_TRIP
    summary = "NumPy is asked to read GPU memory."
    shows = "loud"

    def explain(self, cause: Cause) -> Finding:
        """PyTorch refused to hand the tensor over."""
        return self.finding(
            cause.where,
            cause.line,
            f"line {cause.line} hands a CUDA tensor to NumPy, which reads CPU memory only.",
            "Stay in torch (most NumPy functions have a twin there), or copy it to the CPU first, "
            "with `detach()` and `cpu()`.",
        )


RULE = HostRoundTrip()
