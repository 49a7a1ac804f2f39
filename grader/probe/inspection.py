"""The stages of an audit: what to do with a module that no rubric describes."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import torch

from grader.evidence import Movement, Place, Structure, TensorFact
from grader.probe.journey import adopted, arrive, move_and_call, replicated, travel
from grader.probe.reload import optimizers, train_and_reload
from grader.probe.source import assignment_of
from grader.probe.structure import same_uneven_values, structure_of, tensors_of
from grader.probe.subject import Instance, Subject
from grader.probe.walk import Walk

Facts = dict[str, Any]


def construction(subject: Subject) -> Facts:
    """Build it twice, with two seeds, and note what its first call reads."""
    instance, raised = subject.build()
    if instance is None:
        return {"construction": raised}
    structure = _structure(subject, instance)
    fixed = _fixed(instance, subject.new(subject.seed + 1))
    move_and_call(subject, instance.module, "cpu", "cpu")
    read = {
        subject.identities.of(each.tensor)
        for each in Walk(instance.module).reached
        if id(each.tensor) in subject.trace.read
    }
    tensors = tuple(_with(fact, read, fixed) for fact in structure.tensors)
    never_told = tuple(_never_told(instance))
    return {"structure": replace(structure, tensors=tensors, never_told=never_told)}


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
    _, raised = subject.attempt(module.cuda, module)
    tensors = tensors_of(module, subject.identities, subject.trace.line_of)
    return {"movements": (Movement(".cuda()", raised, tensors),)}


AUDIT_STAGES = (
    construction,
    construction_on_cuda,
    movement,
    travel,
    arrive,
    adopted,
    replicated,
    train_and_reload,
    optimizers,
)


def _structure(subject: Subject, instance: Instance) -> Structure:
    return structure_of(instance.module, subject.identities, subject.trace.line_of, instance.filled)


def _with(fact: TensorFact, read: set[int], fixed: set[str]) -> TensorFact:
    return replace(fact, used=fact.identity in read, fixed=fact.path in fixed)


def _fixed(instance: Instance, other: Instance) -> set[str]:
    """The Parameters that hold the same uneven values whatever the seed."""
    twins = {each.path: each.tensor for each in Walk(other.module).reached}
    lazy = (torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer)
    return {
        each.path
        for each in Walk(instance.module).reached
        if isinstance(each.tensor, torch.nn.Parameter)
        and not isinstance(each.tensor, lazy)
        and each.path in twins
        and same_uneven_values(each.tensor.detach(), twins[each.path].detach())
    }


def _never_told(instance: Instance) -> list[Place]:
    """Hidden modules that are still in train mode after `eval()`."""
    return [
        Place(
            hidden.path,
            assignment_of(hidden.owner, hidden.attribute).line,
            type(hidden.module).__name__,
        )
        for hidden in Walk(instance.module).hidden
        if hidden.module.training and not instance.module.training
    ]
