"""Instances with random values, called on the CPU or on CUDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.values import fill_state, outputs_of
from grader.probe.session import Session
from grader.schema import Run


def filled_module(
    session: Session, make: Callable[[], Any] | None = None, is_usual: bool = True, others: int = 0
) -> nn.Module:
    """A new instance whose trainable values hide no fault, as zeros and ones would.

    `others` than 0 gives it other values.
    """
    module = session.new(make=make, is_usual=is_usual).module
    fill_state(module, session.subject.seed + others, session.wants.filled)
    return module


def call_moved(
    session: Session, module: nn.Module, device: str, inputs: Inputs | None = None
) -> Run:
    """Move the module to the device and call it there, in eval mode."""
    # To the CPU as well: a constructor may have gone to CUDA because it is there.
    _, raised = session.attempt(lambda: module.to(device).eval(), module)
    if raised:
        return Run(device, raised)
    return call_in_place(session, module, device, inputs)


def call_in_place(
    session: Session, module: nn.Module, device: str, inputs: Inputs | None = None
) -> Run:
    """Call the module, which is on the device already, with gradients, as a learner would."""
    # A module without tensors and without the number of a GPU computes where its inputs are.
    has_a_place = session.wants.chooses_gpu or registered_once(module)
    feed = inputs or session.feed()
    inputs = session.fed_to(device, feed) if has_a_place else feed.to(device)
    called = session.call(module, inputs)
    outputs = () if called.raised else outputs_of(called.result)
    return Run(device, called.raised, outputs, work=called.seen.work)


def under_default_device(device: str, make: Callable[[], Any]) -> Any:
    """What `make` gives while everything without a `device=` is made on that one."""
    torch.set_default_device(device)
    try:
        return make()
    finally:
        torch.set_default_device(None)
