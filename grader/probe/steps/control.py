"""The control of an audit: a new instance that is called as often as the one that moved, and stays.

A module with state of its own gives other numbers in every call, or fails after some. Whether a
move did that shows only next to an instance that made the same calls on the CPU.
"""

from __future__ import annotations

from msgspec.structs import replace

from grader.probe.calls import call
from grader.probe.session import Session
from grader.schema import AFTER_MOVES, Evidence, Phase, Run, nearly_equal


def control(session: Session, evidence: Evidence) -> Evidence:
    """Repeat the calls before and after the moves on the CPU, if the moves leave a question."""
    moved = [run for run in evidence.runs if run.phase in AFTER_MOVES]
    if not _is_needed(evidence, moved):
        return evidence
    module = session.new().module
    controls: list[Run] = []
    for _ in range(evidence.baseline.calls + len(moved)):
        inputs = session.fed_to("cpu")
        controls.append(call(session, module, Phase.CPU_AGAIN, "cpu", inputs, is_traced=False))
        if controls[-1].raised:
            break
    return replace(evidence, controls=tuple(controls))


def _is_needed(evidence: Evidence, moved: list[Run]) -> bool:
    """Whether a call after a move raised for no device, or gave other numbers than the first.

    More than rounding, that is. Of a module that gives other numbers in its second call or with
    another seed, the numbers say nothing.
    """
    first, again = evidence.run_of(Phase.CPU), evidence.run_of(Phase.CPU_AGAIN)
    if first is None or first.raised:
        return False
    if any(run.raised and not run.raised.origin.operands for run in moved):
        return True
    if again is None or evidence.random or not nearly_equal(again.outputs, first.outputs):
        return False
    return not all(run.raised or nearly_equal(run.outputs, first.outputs) for run in moved)
