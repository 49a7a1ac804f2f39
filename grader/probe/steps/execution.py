"""The calls that are compared with the solution's: one on the CPU, one on CUDA."""

from __future__ import annotations

from msgspec.structs import replace

from grader.probe.inspection.values import state_of
from grader.probe.session import Session
from grader.probe.steps.filled_calls import call_on, filled_instance
from grader.probe.steps.other_placements import elsewhere, without_gpu
from grader.schema import Evidence


def execution(session: Session, evidence: Evidence) -> Evidence:
    """Call one instance on the CPU and another on CUDA, from the same state."""
    on_cpu = filled_instance(session, without_gpu(session))
    on_cuda = filled_instance(session)
    state = state_of(on_cpu.module)
    evidence = replace(evidence, state=state, elsewhere=elsewhere(session))
    return evidence.with_runs(call_on(session, on_cpu, "cpu"), call_on(session, on_cuda, "cuda"))
