"""`host-round-trip`: NumPy is asked to read GPU memory."""

from __future__ import annotations

from grader.judge.findings.base import Code, Rule


class HostRoundTrip(Rule):
    """NumPy reads CPU memory only."""

    code = Code.HOST_ROUND_TRIP
    summary = "NumPy is asked to read GPU memory."
    shows = "loud"
    message = "line {line} hands a CUDA tensor to NumPy, which reads CPU memory only."
    fix = (
        "Stay in torch (most NumPy functions have a twin there), or copy it to the CPU first, with "
        "`detach()` and `cpu()`."
    )
