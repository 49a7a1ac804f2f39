"""An audit's first calls: on the CPU, where the module was built, and what they change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.calls import call, move
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.likeness import constant_value
from grader.probe.inspection.plain import dict_of, plain
from grader.probe.inspection.records import Seen
from grader.probe.inspection.registered import Registered, registered_modules
from grader.probe.inspection.source import assignment_of, change_of, is_torch
from grader.probe.inspection.structure import devices_of
from grader.probe.inspection.values import is_sized, outputs_of
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session, Spare
from grader.schema import (
    Baseline,
    Evidence,
    HiddenModule,
    Location,
    Phase,
    Run,
    Structure,
    TensorFact,
)

Scalars = dict[tuple[int, str], Any]


def cpu_baseline(session: Session, evidence: Evidence) -> Evidence:
    """Call the module twice on the CPU with one seed: the baseline for all calls on CUDA.

    The first call tells which tensors are read; the second, whether numbers repeat, and which
    scalar attributes change. If the second drew random numbers, a third, with another seed, tells
    whether outputs are random. If the first takes more than a tenth of the patience, it is the only
    one.
    """
    instance = session.take_or_make(Spare.DESCRIBED)
    module = instance.module
    began = session.seconds
    structure = evidence.structure or Structure()
    is_there = all(fact.device == "cpu" for fact in structure.tensors if fact.role != "plain")
    inputs = session.fed_to("cpu")
    baseline = Baseline(calls=1, given_numbers=inputs.are_plain)
    first, seen = _first_call(session, module, is_there, inputs), session.trace.now
    if first.raised and not first.helped:
        with session.gradients(True):  # which a `forward` that trains something needs
            again = _first_call(session, module, is_there, session.fed_to("cpu"))
        if again.raised is None:
            baseline, first = replace(baseline, needs_gradients=True), again
            seen = session.trace.now
    took = session.seconds - began
    walk = Walk(module)
    structure = replace(
        _with_used(session, structure, seen, walk),
        always_training=tuple(_always_training(module, walk)),
        devices=tuple(devices_of(walk.registered)),
    )
    evidence = replace(evidence, structure=structure, baseline=baseline).with_runs(first)
    if not first.is_stopped:
        session.spares[Spare.CALLED] = instance
    if first.raised:
        return evidence
    new_names = {found.name for found in walk.reached} - {fact.name for fact in structure.tensors}
    before = _scalars(walk.registered)
    baseline = replace(baseline, registers_late=bool(new_names - {""}))
    evidence = replace(evidence, baseline=baseline)
    if took > session.patience / 10:
        return evidence.without("a second call on the CPU", f"the first took {took:.0f} s")
    with session.gradients(baseline.needs_gradients):
        again = call(session, module, Phase.CPU_AGAIN, "cpu", session.fed_to("cpu"))
        counters = tuple(_values_written(module, before, _scalars_of(module)))
        is_random = again.draws and _is_random(session, module, again)
    baseline = replace(baseline, calls=3 if again.draws else 2)
    evidence = replace(evidence, baseline=baseline, counters=counters, random=is_random)
    return evidence.with_runs(again)


def _first_call(session: Session, module: nn.Module, is_there: bool, inputs: Inputs) -> Run:
    """Call the module on the CPU; move it there first if it is not there."""
    if not is_there and (raised := move(session, module, Phase.CPU, "cpu")):
        session.trace.begin_call()
        return Run("cpu", raised, phase=Phase.CPU)
    return call(session, module, Phase.CPU, "cpu", inputs)


def _with_used(session: Session, structure: Structure, seen: Seen, walk: Walk) -> Structure:
    """The structure with the tensors marked that the call has just read, and changed."""
    read = {session.identities.known(key) for key in seen.read} - {0}
    now = {found.path: found.tensor for found in walk.reached}
    tensors = (
        replace(fact, used=fact.identity in read, changes=_has_changed(session, fact, now))
        for fact in structure.tensors
    )
    return replace(structure, tensors=tuple(tensors))


def _has_changed(session: Session, fact: TensorFact, now: dict[str, torch.Tensor]) -> bool:
    tensor = now.get(fact.path)
    if tensor is None or session.identities.known(id(tensor)) != fact.identity:
        return True
    return not fact.shape and is_sized(tensor) and constant_value(plain(tensor)) != fact.uniform


def _is_random(session: Session, module: nn.Module, run: Run) -> bool:
    with torch.set_grad_enabled(session.needs_gradients):
        other = session.call(
            module, session.fed_to("cpu"), seed=session.subject.seed + 1, is_traced=False
        )
    return [output.values for output in outputs_of(other.result)] != [
        output.values for output in run.outputs
    ]


def _always_training(module: nn.Module, walk: Walk) -> Iterator[HiddenModule]:
    """Hidden modules that are still in train mode after `eval()`."""
    for hidden in walk.hidden:
        if dict_of(hidden.module).get("training") and not dict_of(module).get("training"):
            at, kind = assignment_of(hidden.owner, hidden.attribute), type(hidden.module).__name__
            yield HiddenModule(hidden.path, at.line, kind, file=at.file)


def _scalars_of(module: nn.Module) -> Scalars:
    return _scalars(registered_modules(module))


def _scalars(modules: Iterable[Registered]) -> Scalars:
    return {
        (id(owner), name): value
        for owner, _, _ in modules
        for name, value in dict_of(owner).items()
        if type(value) in (bool, int, float, str) and name != "training"
    }


def _values_written(module: nn.Module, before: Scalars, after: Scalars) -> Iterator[Location]:
    for owner, path, _ in registered_modules(module):
        if is_torch(type(owner)):
            continue
        for name in dict_of(owner):
            key = (id(owner), name)
            if key in before and before[key] != after.get(key):
                yield change_of(type(owner), name).location(f"{path}.{name}")
