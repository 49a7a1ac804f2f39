"""An operation on CUDA met a tensor on another device: whose is it, and how did it get there?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.evidence import Evidence, Operand, Raised, Run, Structure, TensorFact
from grader.judge.report import Finding
from grader.judge.rules.devices import is_result
from grader.judge.rules.registration import alias, held_in, member_tensor, moved_before
from grader.judge.rules.stray_findings import (
    cached,
    generator,
    hard_coded,
    host_round_trip,
    in_loss,
    index,
    input_transfer,
    layer_in_forward,
    made_in_forward,
    made_on_import,
    result_dropped,
    stale_device,
)
from grader.judge.wording import on_device, short

NUMPY = "device type tensor to numpy"
GENERATOR = "device type for generator"
INDEX = re.compile(r"indices should be either on cpu|'lengths' argument should be a 1D CPU")


def explain(run: Run, evidence: Evidence) -> Iterator[Finding]:
    """What made this run raise, if it was a tensor, an index or a generator on the wrong device."""
    raised = run.raised
    if raised is None:
        return
    if NUMPY in raised.message:
        yield host_round_trip(raised)
    elif GENERATOR in raised.message:
        yield generator(raised, evidence)
    elif INDEX.search(raised.message):
        table = stray_operand(raised, run.device)
        if table is not None and table.moved_line:
            yield result_dropped(table, raised)
        else:
            yield index(raised, run, table)
    else:
        stray = stray_operand(raised, run.device)
        told = {each.line for each in evidence.optimizers if each.raised}  # by a rule of its own
        if stray is not None and (stray.line == 0 or stray.line not in told):
            yield _explain_stray(stray, raised, run, evidence)


def stray_operand(raised: Raised, device: str) -> Operand | None:
    """The operand that is not on `device`, where the operation mixed devices."""
    strays = [each for each in raised.operands if not on_device(each.device, device)]
    if len({operand.device for operand in raised.operands}) < 2 or not strays:
        return None
    return max(strays, key=lambda operand: len(operand.shape))


def _explain_stray(stray: Operand, raised: Raised, run: Run, evidence: Evidence) -> Finding:
    if stray.moved_in_place:
        return hard_coded(stray.moved_line, stray.name, stray.device, run.device)
    if stray.moved_line:
        held = next((fact for fact in evidence.tensors if fact.path == stray.name), None)
        return result_dropped(stray, raised, held)
    if stray.source == "input":
        return _unmoved_input(stray, raised, evidence)
    if stray.source in ("attribute", "global"):
        return _held(stray, raised, run, evidence)
    if stray.is_parameter:
        return _layer_in_forward(stray, raised)
    fails_at_once = any(each.leg == "cuda" and each.raised for each in evidence.runs)
    is_late = run.leg in ("moved", "second", "back") and not fails_at_once
    if stray.earlier or (stray.source == "unknown" and is_late):
        return cached(stray.line, stray.code or "a cache", raised, stray)
    attribute = device_attribute(stray.code, evidence)
    if attribute:
        return stale_device(attribute, stray.line, evidence)
    if stray.device != "cpu" or "cpu" in stray.code:
        return hard_coded(stray.line or raised.line, stray.code, stray.device, run.device)
    return made_in_forward(stray, raised, run)


def _held(stray: Operand, raised: Raised, run: Run, evidence: Evidence) -> Finding:
    facts = {fact.path: fact for fact in evidence.tensors}
    fact = facts.get(stray.name)
    if stray.in_loss:
        return in_loss(stray, fact, raised, run)
    if stray.source == "global":
        return (
            cached(stray.line, stray.name, raised, stray)
            if stray.earlier
            else made_on_import(stray, raised)
        )
    if fact is not None and fact.role != "plain" and fact.device != "cpu":
        return hard_coded(fact.line, fact.path, fact.device, run.device)
    if fact is None or fact.role != "plain":
        if stray.is_parameter:
            return _layer_in_forward(stray, raised)
        is_new = stray.line and not stray.earlier and "device" not in stray.code
        if is_new and stray.device == "cpu":
            return made_in_forward(stray, raised, run)
        return cached(stray.line, stray.name, raised, stray)
    return _plain(fact, facts, stray, raised, run)


def _plain(
    fact: TensorFact, facts: dict[str, TensorFact], stray: Operand, raised: Raised, run: Run
) -> Finding:
    if is_result(fact):
        return moved_before(fact)
    if fact.device != "cpu":
        return hard_coded(fact.line, fact.path, fact.device, run.device)
    registered = {each.identity: each for each in facts.values() if each.role != "plain"}
    if fact.identity in registered:
        return alias(fact, registered[fact.identity])
    if fact.holder or fact.copy_of:
        hidden = [each for each in facts.values() if each.identity not in registered]
        together = [each for each in hidden if each.holder == fact.holder and each.holder]
        return held_in(fact, together or [fact])
    return member_tensor(fact, symptom(raised))


def _unmoved_input(stray: Operand, raised: Raised, evidence: Evidence) -> Finding:
    for place in (evidence.structure or Structure()).devices:
        if place.value == stray.device:  # it was moved, to where the module once was
            return stale_device(place.path, place.line, evidence)
    return input_transfer(stray, raised)


def _layer_in_forward(stray: Operand, raised: Raised) -> Finding:
    return layer_in_forward(
        stray.name if stray.source == "attribute" else "", stray.line or raised.line
    )


def device_attribute(code: str, evidence: Evidence) -> str:
    """The remembered device that a line of code uses, as a path; `""` if none."""
    for place in (evidence.structure or Structure()).devices:
        attribute = place.path.rsplit(".", 1)[-1]
        if re.search(rf"\bself\.{re.escape(attribute)}\b", code):
            return place.path
    return ""


def symptom(raised: Raised) -> str:
    """Where it came to light."""
    if not raised.line:
        return ""
    return f", and line {raised.line} mixes it with a CUDA tensor (`{short(raised.operation)}`)"
