"""The operand that was on the wrong device when an operation raised, followed back."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.evidence import (
    Evidence,
    Location,
    Operand,
    Phase,
    Raised,
    RememberedDevice,
    Run,
    TensorFact,
)
from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.held import unregistered_cause
from grader.judge.codes import Code
from grader.judge.lookups import device_attribute, is_result, structure
from grader.judge.wording import on_device

NUMPY = "device type tensor to numpy"
GENERATOR = "device type for generator"
LENGTHS = "'lengths' argument should be a 1D CPU"
INDEX = re.compile(rf"indices should be either on cpu|{LENGTHS}")


def cause_of(run: Run, evidence: Evidence) -> Cause | None:
    """Why this call raised, if a tensor, an index or a generator was on the wrong device."""
    raised = run.raised
    if raised is None:
        return None
    if NUMPY in raised.message:
        return Cause(Code.HOST_ROUND_TRIP, raised.code or raised.operation, raised.line)
    if GENERATOR in raised.message:
        places = (*structure(evidence).generators, Location(raised.code, raised.line))
        where, line = places[0].path, places[0].line
        return Cause(Code.GENERATOR_DEVICE, where, line, used_line=raised.line)
    operand = misplaced_operand(raised, run.device)
    if INDEX.search(raised.message):
        return _index(operand, raised, run)
    if operand is None:
        return None
    by_optimizer = {each.line for each in evidence.optimizers if each.raised}
    if operand.line and operand.line in by_optimizer:  # `stale-optimizer` explains it
        return None
    return _misplaced(operand, raised, run, evidence)


def misplaced_operand(raised: Raised, device: str) -> Operand | None:
    """The operand that is not on `device`, where the operation mixed devices.

    Of several, the one with the most dimensions: PyTorch lets 0-dimensional CPU tensors pass.
    """
    misplaced = [each for each in raised.operands if not on_device(each.device, device)]
    if len({operand.device for operand in raised.operands}) < 2 or not misplaced:
        return None
    return max(misplaced, key=lambda operand: len(operand.shape))


def _index(table: Operand | None, raised: Raised, run: Run) -> Cause:
    cause = Cause(Code.INDEX_DEVICE, raised.code, raised.line, expected=run.device)
    if table is not None and table.moved_line:
        return _result_dropped(_met(table, raised, run), table, raised, ())
    if LENGTHS in raised.message:
        return replace(cause, how=How.LENGTHS)
    if table is None:
        return cause
    where = table.name if table.source == "attribute" else raised.code
    how = How.MADE if table.source == "made" else How.HELD
    return replace(cause, path=where, how=how, used_line=table.line)


def _met(operand: Operand, raised: Raised, run: Run) -> Cause:
    """What every cause says of the operand and of the operation that it met."""
    return Cause(
        Code.MADE_IN_FORWARD,  # until it is known to be another
        operand.name or operand.code or raised.code,
        operand.line or raised.line,
        how=How.MADE,
        name=operand.name,
        source=operand.source,
        device=operand.device,
        expected=run.device,
        used_line=raised.line,
        operation=raised.operation,
    )


def _misplaced(operand: Operand, raised: Raised, run: Run, evidence: Evidence) -> Cause:
    met = _met(operand, raised, run)
    if operand.moved_in_place:
        return replace(met, code=Code.HARD_CODED_DEVICE, path=operand.name, line=operand.moved_line)
    if operand.moved_line:
        held_as = (fact for fact in evidence.tensors if fact.path == operand.name)
        return _result_dropped(met, operand, raised, tuple(held_as)[:1])
    if operand.source == "input":
        return _unmoved_input(met, evidence)
    if operand.source in ("attribute", "global"):
        return _kept(met, operand, evidence)
    if operand.is_parameter:
        return _layer_in_forward(met)
    fails_at_once = any(each.phase is Phase.CUDA and each.raised for each in evidence.runs)
    is_late = run.phase in (Phase.MOVED, Phase.MOVED_ON, Phase.MOVED_BACK) and not fails_at_once
    if operand.earlier or (operand.source == "unknown" and is_late):
        return _cached(met, operand, operand.code or "a cache")
    if remembered := device_attribute(operand.code, evidence):
        return remembered_cause(met, remembered, operand.line)
    if operand.device != "cpu" or "cpu" in operand.code:
        return replace(met, code=Code.HARD_CODED_DEVICE, path=operand.code)
    return met


def _result_dropped(
    met: Cause, operand: Operand, raised: Raised, held_as: tuple[TensorFact, ...]
) -> Cause:
    where = operand.name or raised.code
    line = operand.moved_line
    return replace(met, code=Code.TO_RESULT_DROPPED, path=where, line=line, group=held_as)


def _unmoved_input(met: Cause, evidence: Evidence) -> Cause:
    for place in structure(evidence).devices:
        if place.device == met.device:  # it was moved, to where the module once was
            return remembered_cause(met, place, place.line)
    return replace(met, code=Code.INPUT_TRANSFER, path=met.name, line=met.used_line)


def remembered_cause(met: Cause, place: RememberedDevice, line: int) -> Cause:
    """Of a tensor that was put on the device that the attribute `place` remembers."""
    return replace(
        met,
        code=Code.STALE_DEVICE,
        how=How.REMEMBERED,
        path=place.path,
        line=line or place.line,
        device=place.device,
    )


def _cached(met: Cause, operand: Operand, where: str) -> Cause:
    return replace(met, code=Code.STALE_DEVICE, how=How.CACHED, path=where, line=operand.line)


def _layer_in_forward(met: Cause) -> Cause:
    layer = met.name.rpartition(".")[0] if met.source == "attribute" else ""
    where = met.name if layer == "self" else layer  # the layer of `self.fc.weight` is `self.fc`
    return replace(met, code=Code.LAYER_IN_FORWARD, path=where or f"line {met.line}")


def _kept(met: Cause, operand: Operand, evidence: Evidence) -> Cause:
    """Of an operand that an attribute, or the file, keeps."""
    facts = {fact.path: fact for fact in evidence.tensors}
    fact = facts.get(operand.name)
    if operand.in_loss:
        return _in_loss(met, operand, fact)
    if operand.source == "global":
        if operand.earlier:
            return _cached(met, operand, operand.name)
        return replace(met, code=Code.MEMBER_TENSOR, how=How.IMPORTED, path=operand.name)
    if fact and fact.device != "cpu" and not (fact.role == "plain" and is_result(fact)):
        where, line, device = fact.path, fact.line, fact.device
        return replace(met, code=Code.HARD_CODED_DEVICE, path=where, line=line, device=device)
    if fact is None or fact.role != "plain":
        if operand.is_parameter:
            return _layer_in_forward(met)
        is_new = operand.line and not operand.earlier and "device" not in operand.code
        return met if is_new and met.device == "cpu" else _cached(met, operand, operand.name)
    found = unregistered_cause(fact, tuple(facts.values()))
    return replace(found, shown=Shown.CALL, used_line=met.used_line, operation=met.operation)


def _in_loss(met: Cause, operand: Operand, fact: TensorFact | None) -> Cause:
    group = (fact,) if fact and fact.holder else ()
    where = fact.holder.path if fact and fact.holder else operand.name
    line = (fact.line if fact else operand.line) or met.used_line
    return replace(met, code=Code.CRITERION_STATE, path=where, line=line, group=group)
