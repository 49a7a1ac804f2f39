"""Moves and calls of a module."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.forward import call_forward
from grader.probe.generators import seed_generators
from grader.probe.inspection.attributes import Attributes
from grader.probe.inspection.described import describe_output
from grader.probe.inspection.going_on import GoingOn
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import named_tensors
from grader.probe.inspection.registered import gpus_of
from grader.probe.inspection.values import leaves, outputs_of
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Helped, Output, Phase, Raised, Run

FIRST_GPU, SECOND_GPU = "cuda:0", "cuda:1"
# Calls that need not work: a rule of its own asks why each of them raises.
NOT_HELPED = (Phase.REPLICA, Phase.PART_OF_ANOTHER, Phase.CHILDREN_MOVED)
MOST_ROUNDS = 6  # in which a call is helped on; hardly any module needs more than three


class Parent(nn.Module):
    """A module that holds another, as a larger model would."""

    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.add_module("part", part)  # to assign it asks its `__class__`, which may run code

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.part(*args, **kwargs)  # type: ignore[operator]


def last_gpu() -> str:
    """The second GPU; the first where there is one alone."""
    return SECOND_GPU if torch.cuda.device_count() > 1 else FIRST_GPU


def move(session: Session, module: nn.Module, phase: Phase, device: str) -> Raised | None:
    """Move the module; the way back is `.cpu()`: an override of `.to` alone does not see it."""

    def action() -> Any:
        return module.cpu() if phase is Phase.MOVED_BACK else module.to(device)

    return session.attempt(action, module)[1]


def new_on_the_cpu(session: Session) -> nn.Module:
    """A new instance, brought to the CPU if its constructor, or its maker, put it elsewhere."""
    module = session.new().module
    if gpus_of(module):
        move(session, module, Phase.CPU, "cpu")
    return module


def call(
    session: Session,
    module: nn.Module,
    phase: Phase,
    device: str,
    inputs: Inputs,
    is_traced: bool = True,
) -> Run:
    """Call the module, in eval mode unless the phase is `TRAIN_MODE`; `session.trace` then tells.

    Without gradients, unless `forward` needs them.

    Args:
        session: the probe under way.
        module: the instance.
        phase: which call it is.
        device: where the module is.
        inputs: what to call it with.
        is_traced: whether a trace is to know what happens.
    """
    if phase is not Phase.TRAIN_MODE and session.run(lambda: module.training):
        _, raised = session.attempt(lambda: module.eval(), module)
        if raised:
            session.trace.begin_call()
            return Run(device, raised, phase=phase)
    names, attributes = inputs.named(), Attributes(module)
    with torch.set_grad_enabled(session.needs_gradients):
        shown = session.call(module, inputs, is_traced=is_traced)
        moved_inputs = len(shown.seen.moved & names.keys())
        is_helped = shown.raised and is_traced and phase not in NOT_HELPED
        if phase is Phase.CPU_INPUTS:  # a module that moves none has no mover to look at
            is_helped = is_helped and moved_inputs > 0
        helped = _helped(session, module, inputs, device, attributes) if is_helped else None
        if shown.raised:
            attributes.take_back_tensors()
    return Run(
        device,
        shown.raised,
        () if shown.raised else _described(session, module, inputs, shown.result, device),
        phase,
        moved_inputs=moved_inputs,
        helped=helped,
        asks_to_move=bool(shown.seen.asked_to_move),
        draws=shown.draws,
        work=shown.seen.work,
    )


def _helped(
    session: Session, module: nn.Module, inputs: Inputs, device: str, attributes: Attributes
) -> Helped | None:
    """What the call that has just raised shows beyond that line; None if nothing met there.

    None as well of a module on several GPUs: nobody knows where its tensors are to meet. The
    module is of no use afterwards for what needs its numbers, and the outputs have none.
    """
    if not session.trace.now.failure or len(gpus_of(module)) > 1:
        return None
    names = named_tensors(module, inputs, session.run)
    held = [found.tensor for found in Walk(module).reached]
    going_on = GoingOn(session.trace, device, names, held)
    known = -1
    for _ in range(MOST_ROUNDS):
        if going_on.progress == known or session.is_late:
            break
        known = going_on.progress
        going_on.begin_round()
        attributes.take_back_tensors()
        seed_generators(session.subject.seed)
        round_ = partial(_go_on, session, going_on, partial(call_forward, module, inputs))
        returned, raised = session.attempt_steps(round_, module)
    if not going_on.meetings:
        return None
    met = tuple(going_on.described(named_tensors(module, inputs, session.run)))
    outputs = None if raised else _described(session, module, inputs, returned, device)
    return Helped(met, outputs and tuple(replace(output, values=None) for output in outputs))


def _go_on(session: Session, going_on: GoingOn, forward: Callable[[], Any]) -> Any:
    try:
        return session.run(forward, going_on)
    except BaseException as error:
        going_on.leave(error)
        raise


def _described(
    session: Session, module: nn.Module, inputs: Inputs, returned: Any, device: str
) -> tuple[Output, ...]:
    outputs = outputs_of(returned)
    if all(output.device in ("", device) for output in outputs):
        return outputs
    names = named_tensors(module, inputs, session.run)
    return tuple(
        describe_output(session.trace, output, leaf, names)
        if isinstance(leaf, torch.Tensor)
        else output
        for output, (_, leaf) in zip(outputs, leaves(returned, "output"), strict=True)
    )


def first_half(inputs: Inputs) -> Inputs | None:
    """The first half of the batch; None if tensors differ in their first dimension, or it is 1."""
    sizes = set(inputs.batch_sizes)
    if len(sizes) != 1 or (size := sizes.pop()) < 2:
        return None
    return inputs.each(lambda tensor: tensor[: size // 2].clone() if tensor.dim() else tensor)
