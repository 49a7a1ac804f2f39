"""The stages of an audit: what to do with a module that no rubric describes."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import wraps
from typing import Any

from torch import nn

from grader.evidence import Movement, Structure
from grader.inspection.structure import same_uneven_values, structure_of, tensors_of
from grader.inspection.values import is_sized
from grader.inspection.walk import Walk
from grader.probe.audit.cpu_baseline import at_home
from grader.probe.audit.device_moves import adopted, arrive, replicated, travel
from grader.probe.audit.training import optimizers, train_and_reload
from grader.probe.exercise.stages import Stage
from grader.probe.subject import Instance, Subject

Facts = dict[str, Any]
WHAT = {
    "arrive": "first calls on CUDA",
    "adopted": "a move as part of a larger module",
    "replicated": "a replica of nn.DataParallel",
    "train_and_reload": "training and a checkpoint",
    "optimizers": "the optimizers it holds",
}


def construction(subject: Subject) -> Facts:
    """Build it twice, with two seeds."""
    instance, raised = subject.build()
    if instance is None:
        return {"construction": raised}
    structure = _structure(subject, instance)
    if not subject.is_copied:
        fixed = _fixed(instance, subject.new(subject.seed + 1))
        tensors = (replace(fact, fixed=fact.path in fixed) for fact in structure.tensors)
        structure = replace(structure, tensors=tuple(tensors))
    subject.first, subject.first_structure = instance, structure
    return {"structure": structure}


def construction_on_cuda(subject: Subject) -> Facts:
    """Where its constructor takes a device: build it on CUDA."""
    try:
        takes_device = "device" in inspect.signature(subject.make).parameters
    except (TypeError, ValueError):  # a class that hides its signature
        takes_device = False
    if not takes_device:
        return {}
    instance, raised = subject.build(make=lambda: subject.make(device="cuda:0"))  # type: ignore[call-arg]
    if instance is None:
        return {"on_device_raised": raised}
    return {"on_device": _structure(subject, instance)}


def movement(subject: Subject) -> Facts:
    """Move a new instance, and look where its tensors are."""
    module = subject.new().module
    _, raised = subject.attempt(lambda: module.cuda(), module)
    tensors = tensors_of(module, subject.identities, subject.trace.line_of)
    subject.moved = None if raised else module
    return {"movements": (Movement(".cuda()", raised, tensors),)}


def in_time(stage: Stage) -> Stage:
    """The stage, which says that it was left out where those before it took too long."""

    @wraps(stage)
    def run(subject: Subject) -> Facts:
        if subject.is_late:
            return {"skipped": (f"{WHAT[stage.__name__]} ({subject.seconds:.0f} s were used up)",)}
        return stage(subject)

    return run


AUDIT_STAGES: tuple[Stage, ...] = (
    construction,
    construction_on_cuda,
    movement,
    at_home,
    travel,
    *map(in_time, (arrive, adopted, replicated, train_and_reload, optimizers)),
)


def _structure(subject: Subject, instance: Instance) -> Structure:
    structure = structure_of(
        instance.module, subject.identities, subject.trace.line_of, instance.filled, subject.run
    )
    rebound = {subject.identities.known(key): at for key, at in subject.trace.rebound.items()}
    tensors = (
        replace(fact, line=rebound.get(fact.identity, fact.line)) for fact in structure.tensors
    )
    return replace(structure, tensors=tuple(tensors))


def _fixed(instance: Instance, other: Instance) -> set[str]:
    """The Parameters that hold the same uneven values whatever the seed."""
    twins = {each.path: each.tensor for each in Walk(other.module).reached}
    return {
        each.path
        for each in Walk(instance.module).reached
        if isinstance(each.tensor, nn.Parameter)
        and is_sized(each.tensor)
        and each.path in twins
        and same_uneven_values(each.tensor.detach(), twins[each.path].detach())
    }
