"""`host-round-trip`: what is on a GPU is worked on elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext
from grader.schema import Location, Phase


class HostRoundTrip(Rule):
    """NumPy reads CPU memory only. And a result that is computed on the CPU costs two copies."""

    code = Code.HOST_ROUND_TRIP
    summary = "NumPy is asked to read GPU memory, or a call on a GPU computes on the CPU."
    shows = "loud; silent where all is brought to the CPU and back"
    message = "line {line} hands a CUDA tensor to NumPy, which reads CPU memory only."
    fix = (
        "Stay in torch (most NumPy functions have a twin there), or copy it to the CPU first, with "
        "`detach()` and `cpu()`."
    )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit: a call on a GPU that computed nothing there, or with copies of weights."""
        run = context.evidence.run_of(Phase.CUDA) if context.is_audit else None
        if run is None or run.raised or not run.device.startswith("cuda"):
            return
        work, (file, line) = run.work, run.work.left_gpu
        if not line or not work.on_cpu or (work.on_gpu and not work.weights_on_cpu):
            return
        yield self.finding(
            Location("forward", file=file, line=line),
            f"on {run.device}, {work.on_cpu} of {work.on_cpu + work.on_gpu} floating-point "
            f"operations were computed on the CPU: line {line} takes a tensor from the GPU, and "
            "the result is brought back.",
            "Compute where the module is, and move nothing in `forward`.",
            "warning",
        )
