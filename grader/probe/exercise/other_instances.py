"""Instances constructed differently: with other arguments, or under another default device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from grader.probe.exercise.calls import call_in_place, under_default_device
from grader.probe.inspection.structure import tensors_of
from grader.probe.inspection.values import sorted_state, state_of
from grader.probe.subject import Subject
from grader.schema import ByDefault, OtherInstance, Run

DEVICE = "cuda:0"


def other_instance(subject: Subject) -> OtherInstance:
    """Build it with the other arguments and call it in eval mode on the CPU."""
    instance, raised = subject.build(make=subject.make_other)
    if instance is None:
        return OtherInstance(Run("cpu", raised))
    module = instance.module
    _, raised = subject.attempt(lambda: module.to("cpu").eval(), module)
    if raised:
        return OtherInstance(Run("cpu", raised))
    state, tensors = state_of(module), sorted_state(module)
    trainable = tuple(name for name, tensor in tensors.items() if tensor.requires_grad)
    return OtherInstance(call_in_place(subject, module, "cpu"), state, trainable)


def by_default(subject: Subject) -> ByDefault:
    """Construct it with the default device CUDA, and see if it changes the default itself."""
    left: list[str] = []
    subject.build(make=partial(_note_default, subject.make, left))
    instance, raised = subject.build(make=partial(under_default_device, DEVICE, subject.make))
    if instance is None:
        return ByDefault((), raised, *left)
    tensors = tensors_of(instance.module, subject.identities, subject.trace.position_of)
    return ByDefault(tensors, None, *left)


def _note_default(make: Callable[..., Any], left: list[str]) -> Any:
    module = make(device=DEVICE)
    left.append(str(torch.get_default_device()))
    torch.set_default_device(None)
    return module
