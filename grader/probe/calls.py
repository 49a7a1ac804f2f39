"""An audit's calls of a module: where it is, after a move, and with a trace only if needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.probe.generators import seed_generators
from grader.probe.inspection.going_on import GoingOn
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import named_tensors
from grader.probe.inspection.values import leaves, outputs_of
from grader.probe.inspection.walk import Walk
from grader.probe.subject import Subject, call_forward
from grader.schema import Helped, Output, Phase, Raised, Run

FIRST_GPU = "cuda:0"
# Calls that need not work: a rule of its own asks why each of them raises.
NOT_HELPED = (Phase.CPU_INPUTS, Phase.REPLICA, Phase.PART_OF_ANOTHER, Phase.CHILDREN_MOVED)
MOST_ROUNDS = 6  # in which a call is helped on; hardly any module needs more than three


def move_and_call(
    subject: Subject, module: nn.Module, phase: Phase, device: str, is_traced: bool = True
) -> Run:
    """Move the module, and call it there in eval mode; with a trace only if needed, on request."""
    if raised := move(subject, module, phase, device):
        return Run(device, raised, phase=phase)
    if is_traced:
        return call(subject, module, phase, device, subject.fed_to(device))
    return call_with_trace_on_error(subject, module, phase, device, partial(subject.fed_to, device))


def move(subject: Subject, module: nn.Module, phase: Phase, device: str) -> Raised | None:
    """Move the module; the way back is `.cpu()`: an override of `.to` alone does not see it."""

    def action() -> Any:
        return module.cpu() if phase is Phase.MOVED_BACK else module.to(device)

    return subject.attempt(action, module)[1]


def call_with_trace_on_error(
    subject: Subject, module: nn.Module, phase: Phase, device: str, feed: Callable[[], Inputs]
) -> Run:
    """Call the module without a trace, and once more with one if a line is to be named.

    Of a module that keeps tensors, the trace must know the calls that made them: each is traced.
    Before the second call it is moved again, as it may have moved itself in the first.
    """
    if not subject.keeps_nothing:
        return call(subject, module, phase, device, feed())
    run = call(subject, module, phase, device, feed(), is_traced=False)
    if not has_to_be_traced(run) or move(subject, module, phase, device):
        return run
    traced = call(subject, module, phase, device, feed())
    return traced if has_to_be_traced(traced) else run


def call(
    subject: Subject,
    module: nn.Module,
    phase: Phase,
    device: str,
    inputs: Inputs,
    is_traced: bool = True,
) -> Run:
    """Call the module, in eval mode unless the phase is `TRAIN_MODE`.

    Without gradients, unless `forward` needs them.
    """
    if phase is not Phase.TRAIN_MODE and subject.run(lambda: module.training):
        _, raised = subject.attempt(lambda: module.eval(), module)
        if raised:
            return Run(device, raised, phase=phase)
    names = inputs.named()
    with torch.set_grad_enabled(subject.needs_gradients):
        returned, raised = subject.call(module, inputs, is_traced=is_traced)
        moved, rows = len(subject.trace.now.moved & names.keys()), subject.trace.now.rows_moved
        is_helped = raised and is_traced and phase not in NOT_HELPED
        helped = _helped(subject, module, inputs, device) if is_helped else None
    if raised:
        return Run(device, raised, (), phase, moved, rows, helped)
    outputs = _described(subject, module, inputs, returned, device)
    return Run(device, None, outputs, phase, moved, rows)


def _helped(subject: Subject, module: nn.Module, inputs: Inputs, device: str) -> Helped | None:
    """What the call that has just raised shows beyond that line; None if nothing met there.

    None as well of a module on several GPUs: nobody knows where its tensors are to meet. The
    module is of no use afterwards for what needs its numbers, and the outputs have none.
    """
    reached = Walk(module).reached
    gpus = {str(f.tensor.device) for f in reached if f.role != "plain" and f.tensor.is_cuda}
    if not subject.trace.now.failure or len(gpus) > 1:
        return None
    names = named_tensors(module, inputs, subject.run)
    going_on = GoingOn(subject.trace, device, names, [found.tensor for found in reached])
    known = -1
    for _ in range(MOST_ROUNDS):
        if going_on.progress == known or subject.is_late:
            break
        known = going_on.progress
        going_on.begin_round()
        seed_generators(subject.seed)
        round_ = partial(_go_on, subject, going_on, partial(call_forward, module, inputs))
        returned, raised = subject.attempt_steps(round_, module)
    if not going_on.meetings:
        return None
    met = tuple(going_on.described(named_tensors(module, inputs, subject.run)))
    outputs = None if raised else _described(subject, module, inputs, returned, device)
    return Helped(met, outputs and tuple(replace(output, values=None) for output in outputs))


def _go_on(subject: Subject, going_on: GoingOn, forward: Callable[[], Any]) -> Any:
    try:
        return subject.run(forward, going_on)
    except BaseException as error:
        going_on.leave(error)
        raise


def has_to_be_traced(run: Run) -> bool:
    """Whether only a trace tells which line is to blame: it raised, or misplaced an output."""
    return run.raised is not None or any(
        output.device not in ("", run.device) for output in run.outputs
    )


def _described(
    subject: Subject, module: nn.Module, inputs: Inputs, returned: Any, device: str
) -> tuple[Output, ...]:
    outputs = outputs_of(returned)
    if all(output.device in ("", device) for output in outputs) or not subject.is_tracing:
        return outputs
    names = named_tensors(module, inputs, subject.run)
    return tuple(
        subject.trace.describe_output(output, leaf, names)
        if isinstance(leaf, torch.Tensor)
        else output
        for output, (_, leaf) in zip(outputs, leaves(returned, "output"), strict=True)
    )


def first_half(inputs: Inputs) -> Inputs | None:
    """The first half of the batch; None if tensors differ in their first dimension, or it is 1."""
    arguments = tree_leaves((inputs.args, dict(inputs.kwargs)))
    sizes = {
        len(argument)
        for argument in arguments
        if isinstance(argument, torch.Tensor) and argument.dim()
    }
    if len(sizes) != 1 or (size := sizes.pop()) < 2:
        return None
    return inputs.each(lambda tensor: tensor[: size // 2].clone() if tensor.dim() else tensor)
