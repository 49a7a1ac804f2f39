"""The control of an audit: a new instance that is called as often as the one that moved, and stays.

A module with state of its own gives other numbers in every call, or fails after some. Whether a
move did that shows only next to an instance that made the same calls on the CPU.
"""

from __future__ import annotations

from dataclasses import replace

from grader.evidence import Evidence, Phase, Run
from grader.probe.audit.device_moves import call
from grader.probe.audit.run import AuditRun

MOVES = (Phase.MOVED, Phase.MOVED_ON, Phase.MOVED_BACK)


def control(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Repeat the calls before and after the moves on the CPU, if any was not like the first."""
    first = next((run for run in evidence.runs if run.phase is Phase.CPU), None)
    moved = [run for run in evidence.runs if run.phase in MOVES]
    if first is None or first.raised or all(_is_like(run, first) for run in moved):
        return evidence
    subject = audit.subject
    module = subject.new().module
    controls: list[Run] = []
    for _ in range(audit.calls + len(moved)):
        controls.append(call(subject, module, Phase.CPU_AGAIN, "cpu", subject.fed_to("cpu")))
        if controls[-1].raised:
            break
    return replace(evidence, controls=tuple(controls))


def _is_like(run: Run, first: Run) -> bool:
    """Whether it gave the same numbers, or raised for its devices, which explains enough."""
    if run.raised:
        return bool(run.raised.origin.operands)
    return [o.values for o in run.outputs] == [o.values for o in first.outputs]
