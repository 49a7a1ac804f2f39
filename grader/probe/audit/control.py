"""The control of an audit: a new instance that is called as often as the one that moved, and stays.

A module with state of its own gives other numbers in every call. Whether a move changed them shows
only next to an instance that made the same calls on the CPU.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grader.evidence import Evidence, Phase, Run
from grader.probe.audit.device_moves import call
from grader.probe.audit.run import AuditRun

MOVES = (Phase.MOVED, Phase.MOVED_ON, Phase.MOVED_BACK)


def control(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Repeat the calls before and after the moves on the CPU, if any gave other numbers there."""
    runs = {run.phase: run for run in evidence.runs if not run.raised}
    moved = [phase for phase in MOVES if phase in runs]
    first = runs.get(Phase.CPU)
    if first is None or all(_numbers(runs[phase]) == _numbers(first) for phase in moved):
        return evidence
    subject = audit.subject
    module = subject.new().module
    controls: list[Run] = []
    for _ in range(audit.calls + len(moved)):
        controls.append(call(subject, module, Phase.CPU_AGAIN, "cpu", subject.fed_to("cpu")))
        if controls[-1].raised:
            break
    return replace(evidence, controls=tuple(controls))


def _numbers(run: Run) -> list[Any]:
    return [output.values for output in run.outputs]
