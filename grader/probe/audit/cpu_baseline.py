"""An audit's first calls: on the CPU, where the module was built, and what they change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.probe.audit.calls import call, call_with_trace_on_error, move_and_call
from grader.probe.audit.subject import AuditRun
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import Registered, registered_modules
from grader.probe.inspection.source import assignment_of, is_torch, rebinding_of
from grader.probe.inspection.structure import devices_of
from grader.probe.inspection.values import outputs_of
from grader.probe.inspection.walk import Walk
from grader.probe.subject import Subject
from grader.schema import Evidence, HiddenModule, Location, Phase, Run, Structure, fast_replace

Scalars = dict[tuple[int, str], Any]


def cpu_baseline(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call the module twice on the CPU with one seed: the baseline for all calls on CUDA.

    The first call tells which tensors are read; the second, whether numbers repeat, and which
    scalar attributes change. If the second drew random numbers, a third, with another seed, tells
    whether outputs are random. If the first takes more than a tenth of the patience, it is the only
    one. If it left nothing that the second could see, its outputs are the second's.
    """
    subject = audit.subject
    instance = audit.cpu_instance or subject.new()
    module = instance.module
    began, at_first = subject.seconds, _scalars_of(module)
    structure = evidence.structure or Structure()
    is_there = all(fact.device == "cpu" for fact in structure.tensors if fact.role != "plain")
    first = _first_call(subject, module, is_there)
    if first.raised:
        first = _first_call_with_gradients(subject, module, first, is_there)
    took = subject.seconds - began
    walk = Walk(module)
    structure = replace(
        _with_used(subject, structure),
        always_training=tuple(_always_training(module, walk)),
        devices=tuple(devices_of(walk.registered)),
    )
    evidence = replace(evidence, structure=structure).with_runs(first)
    if first.raised:
        audit.cpu_instance = None
        return evidence
    new_names = {f.name for f in walk.reached} - {fact.name for fact in structure.tensors}
    audit.registers_late = bool(new_names - {""})
    before = _scalars(walk.registered)
    subject.keeps_nothing = before == at_first and _keeps_nothing(subject, walk)
    subject.asks_where = subject.trace.may_ask_where or bool(subject.trace.asked_to_move)
    audit.calls = 1
    if took > subject.seconds_for_options / 10:
        return evidence.without("a second call on the CPU", f"the first took {took:.0f} s")
    if _leaves_no_trace(subject):
        return evidence.with_runs(replace(first, phase=Phase.CPU_AGAIN))
    audit.calls = 2
    inputs = partial(subject.fed_to, "cpu")
    again = call_with_trace_on_error(subject, module, Phase.CPU_AGAIN, "cpu", inputs)
    counters = tuple(_values_written(module, before, _scalars_of(module)))
    random = False
    if subject.draws:
        audit.calls = 3
        random = _is_random(subject, module, again)
    return replace(evidence.with_runs(again), counters=counters, random=random)


def _first_call(subject: Subject, module: nn.Module, is_there: bool) -> Run:
    """Call the module on the CPU; move it there first if it is not there."""
    if is_there:
        return call(subject, module, Phase.CPU, "cpu", subject.fed_to("cpu"))
    return move_and_call(subject, module, Phase.CPU, "cpu")


def _first_call_with_gradients(
    subject: Subject, module: nn.Module, first: Run, is_there: bool
) -> Run:
    """The first call once more, with gradients, which a `forward` that trains something needs.

    If that works, every call of this audit has them. Else the first call counts.
    """
    subject.needs_gradients = True
    again = _first_call(subject, module, is_there)
    subject.needs_gradients = again.raised is None
    return again if subject.needs_gradients else first


def _keeps_nothing(subject: Subject, walk: Walk) -> bool:
    """Whether no tensor that the call made is alive, in the module or outside of it.

    The trace does not see a Parameter being made.
    """
    known = all(subject.identities.known(id(found.tensor)) for found in walk.reached)
    return known and not subject.trace.is_kept()


def _leaves_no_trace(subject: Subject) -> bool:
    """Whether the first call wrote nothing, kept nothing and drew nothing.

    What is not seen, such as a counter in a list, gives other numbers in later calls, so that the
    control makes the second call.
    """
    is_same_again = subject.keeps_nothing and not subject.draws and not subject.trace.may_write
    return is_same_again and not subject.thorough


def _with_used(subject: Subject, structure: Structure) -> Structure:
    """The structure with the tensors marked that the call has just read."""
    read = {subject.identities.known(key) for key in subject.trace.read} - {0}
    tensors = (fast_replace(fact, used=fact.identity in read) for fact in structure.tensors)
    return replace(structure, tensors=tuple(tensors))


def _is_random(subject: Subject, module: nn.Module, run: Run) -> bool:
    with torch.set_grad_enabled(subject.needs_gradients):
        returned, _ = subject.call(
            module, subject.fed_to("cpu"), seed=subject.seed + 1, is_traced=False
        )
    return [output.values for output in outputs_of(returned)] != [
        output.values for output in run.outputs
    ]


def _always_training(module: nn.Module, walk: Walk) -> Iterator[HiddenModule]:
    """Hidden modules that are still in train mode after `eval()`."""
    for hidden in walk.hidden:
        if dict_of(hidden.module).get("training") and not dict_of(module).get("training"):
            at, kind = assignment_of(hidden.owner, hidden.attribute), type(hidden.module).__name__
            yield HiddenModule(hidden.path, at.line, kind, file=at.file)


def _scalars_of(module: nn.Module) -> Scalars:
    return _scalars(registered_modules(module, "self", ""))


def _scalars(modules: Iterable[Registered]) -> Scalars:
    return {
        (id(owner), name): value
        for owner, _, _ in modules
        for name, value in dict_of(owner).items()
        if type(value) in (bool, int, float, str) and name != "training"
    }


def _values_written(module: nn.Module, before: Scalars, after: Scalars) -> Iterator[Location]:
    for owner, path, _ in registered_modules(module, "self", ""):
        if is_torch(type(owner)):
            continue
        for name in dict_of(owner):
            key = (id(owner), name)
            if key in before and before[key] != after.get(key):
                at = rebinding_of(type(owner), name)
                at = at if at.line else assignment_of(type(owner), name)
                yield at.location(f"{path}.{name}")
