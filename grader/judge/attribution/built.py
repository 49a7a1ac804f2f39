"""The registered tensors that a constructor leaves elsewhere than on the device it is given."""

from __future__ import annotations

from dataclasses import replace

from grader.judge.attribution.cause import Cause, How
from grader.judge.attribution.operands import is_mismatch, misplaced_operand
from grader.judge.codes import Code
from grader.schema import Evidence, Phase, Raised, Run, TensorFact


def left_by_constructor(run: Run, evidence: Evidence) -> Cause | None:
    """Why a module raised where it was built: what of it is registered, and on another device.

    That is the operand that the call met, where it is known; else the first of them all.
    """
    is_there = run.phase in (Phase.BUILT_ON_CUDA, Phase.HANDED_OUT)
    if not is_there or run.raised is None or not is_mismatch(run.raised):
        return None
    left = _left(run, evidence)
    operand = misplaced_operand(run.raised.origin, run.device)
    met = [fact for fact in left if operand and fact.path == operand.name]
    if not left or (operand and operand.name and not met):
        return None
    fact = (met or left)[0]
    cause = Cause(Code.DEVICE_IGNORED, fact.path, fact.line, file=fact.file, device=fact.device)
    cause = replace(cause, expected=run.device, group=tuple(left), raised=run.raised)
    return replace(cause, how=How.HANDED_OUT) if run.phase is Phase.HANDED_OUT else cause


def mixed_in_constructor(raised: Raised | None, device: str) -> Cause | None:
    """Why a constructor raised on the device that it was given: a tensor that it made elsewhere."""
    operand = misplaced_operand(raised.origin, device) if raised else None
    if raised is None or operand is None or operand.source != "made" or not operand.line:
        return None
    cause = Cause(Code.DEVICE_IGNORED, operand.name, operand.line, how=How.MADE, file=operand.file)
    used = raised.origin
    cause = replace(cause, used_line=used.line, used_file=used.file, raised=raised)
    return replace(cause, device=operand.device, expected=device)


def _left(run: Run, evidence: Evidence) -> list[TensorFact]:
    """The registered tensors on another device, if a call of the module read them elsewhere."""
    built = evidence.on_device.tensors if evidence.on_device else ()
    used = {fact.path for fact in evidence.tensors if fact.used}
    return [f for f in built if f.role != "plain" and f.device != run.device and f.path in used]
