"""Registered tensors that are on the wrong device: who left them there.

1. The constructor, which made them elsewhere than on the device that it was given.
2. A method that overrides how a module moves, and does not move what PyTorch would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.attribution.cause import Cause, How
from grader.judge.attribution.operands import is_mismatch, misplaced_operand
from grader.judge.codes import Code
from grader.judge.lookups import built_on_cuda, enclosing_paths, left_behind, structure
from grader.schema import Evidence, Location, Phase, Raised, Run, TensorFact


def constructor_cause(run: Run, evidence: Evidence) -> Cause | None:
    """Why a module raised where it was built: what of it is registered, and on another device.

    That is the operand that the call met, where it is known; else the first of them all.
    """
    is_there = run.phase in (Phase.BUILT_ON_CUDA, Phase.HANDED_OUT)
    if not is_there or run.raised is None or not is_mismatch(run.raised):
        return None
    left = _tensors_left(run, evidence)
    operand = misplaced_operand(run.raised.origin, run.device)
    met = [fact for fact in left if operand and fact.path == operand.name]
    if not left or (operand and operand.name and not met):
        return None
    if run.phase is Phase.HANDED_OUT and (put := _put_there(run, evidence)):
        cause = Cause(Code.HARD_CODED_DEVICE, put.path, put.line, file=put.file)
        return replace(cause, device=run.device, expected="cpu", site=put.site)
    fact = (met or left)[0]
    cause = Cause(Code.DEVICE_IGNORED, fact.path, fact.line, file=fact.file, device=fact.device)
    cause = replace(cause, expected=run.device, group=tuple(left), raised=run.raised)
    cause = replace(cause, site=fact.site)
    return replace(cause, how=How.HANDED_OUT) if run.phase is Phase.HANDED_OUT else cause


def mixing_constructor_cause(raised: Raised | None, device: str) -> Cause | None:
    """Why a constructor raised on the device that it was given: a tensor that it made elsewhere."""
    operand = misplaced_operand(raised.origin, device) if raised else None
    if raised is None or operand is None or operand.source != "made" or not operand.line:
        return None
    cause = Cause(Code.DEVICE_IGNORED, operand.name, operand.line, how=How.MADE, file=operand.file)
    used = raised.origin
    cause = replace(cause, used_line=used.line, used_file=used.file, raised=raised)
    return replace(cause, device=operand.device, expected=device, site=operand.site)


def blame_override(cause: Cause, evidence: Evidence) -> Cause:
    """`cause`, or the overridden method of the module that holds the tensor, if that explains it.

    1. A registered tensor that a move left behind: the method does not move what PyTorch would. So
       it is where what a call gives is a tensor of the module that is elsewhere.
    2. A child's tensor, in an instance that works once the child was moved by its own method: a
       parent does not call that.
    3. A child that keeps its own device.
    """
    path = cause.name if cause.name.startswith("self.") else cause.path
    registered = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    for override in _above(path, evidence):
        owner, _, method = override.path.rpartition(".")
        blamed = replace(cause, code=Code.TO_OVERRIDE, path=override.path, name=path)
        blamed = replace(blamed, line=override.line, file=override.file)
        if path in _paths_left_behind(evidence) or (cause.result and path in registered):
            return replace(blamed, how=How.FORGOTTEN)
        children = evidence.run_of(Phase.CHILDREN_MOVED)
        if owner != "self" and method != "_apply" and children and not children.raised:
            return replace(blamed, how=How.NOT_CALLED)
        if owner == path.rpartition(".")[0] != "self" and cause.how is How.REMEMBERED:
            return replace(blamed, how=How.OF_ITS_OWN)
    return cause


def _tensors_left(run: Run, evidence: Evidence) -> list[TensorFact]:
    """The registered tensors on another device, if a call of the module read them elsewhere."""
    used = {fact.path for fact in evidence.tensors if fact.used}
    return [f for f in _built(evidence) if f.device != run.device and f.path in used]


def _put_there(run: Run, evidence: Evidence) -> TensorFact | None:
    """What a line of the constructor put on CUDA by name, where the rest is on the CPU."""
    there = (fact for fact in _built(evidence) if fact.device == run.device)
    return next((fact for fact in there if fact.site and "cuda" in fact.site.named), None)


def _built(evidence: Evidence) -> list[TensorFact]:
    """What the instance that was built on CUDA, or handed out there, has registered."""
    return [fact for fact in built_on_cuda(evidence).tensors if fact.role != "plain"]


def _above(path: str, evidence: Evidence) -> Iterator[Location]:
    """The overridden methods of the modules that hold `path`."""
    holders = set(enclosing_paths(path))
    for override in (*structure(evidence).own_apply, *structure(evidence).overrides):
        if override.path.rpartition(".")[0] in holders:
            yield override


def _paths_left_behind(evidence: Evidence) -> set[str]:
    """The registered tensors that a move to CUDA did not move."""
    facts = (fact for move in evidence.movements for fact in left_behind(move))
    return {fact.path for fact in facts if fact.role != "plain"}
