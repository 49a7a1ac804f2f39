"""The registered tensors that a constructor leaves elsewhere than on the device it is given."""

from __future__ import annotations

from dataclasses import replace

from grader.evidence import Evidence, Phase, Run, TensorFact
from grader.judge.attribution.cause import Cause
from grader.judge.attribution.operands import is_mismatch, misplaced_operand
from grader.judge.codes import Code


def left_by_constructor(run: Run, evidence: Evidence) -> Cause | None:
    """Why a module raised where it was built: what of it is registered, and on another device.

    That is the operand that the call met, where it is known; else the first of them all.
    """
    if run.phase is not Phase.BUILT_ON_CUDA or run.raised is None or not is_mismatch(run.raised):
        return None
    left = _left(run, evidence)
    operand = misplaced_operand(run.raised.origin, run.device)
    met = [fact for fact in left if operand and fact.path == operand.name]
    if not left or (operand and operand.name and not met):
        return None
    fact = (met or left)[0]
    cause = Cause(Code.DEVICE_IGNORED, fact.path, fact.line, file=fact.file, device=fact.device)
    return replace(cause, expected=run.device, group=tuple(left), raised=run.raised)


def _left(run: Run, evidence: Evidence) -> list[TensorFact]:
    """The registered tensors on another device, if a call of the module read them elsewhere."""
    built = evidence.on_device.tensors if evidence.on_device else ()
    used = {fact.path for fact in evidence.tensors if fact.used}
    return [f for f in built if f.role != "plain" and f.device != run.device and f.path in used]
