"""An audit's calls of a module: where it is, after a move, and with a trace only if needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import named_tensors
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.values import leaves, outputs_of
from grader.probe.subject import Subject
from grader.schema import Output, Phase, Raised, Run

FIRST_GPU, SECOND_GPU = "cuda:0", "cuda:1"


def last_gpu() -> str:
    """The second GPU; the first where there is one alone."""
    return SECOND_GPU if torch.cuda.device_count() > 1 else FIRST_GPU


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


def new_on_the_cpu(subject: Subject) -> nn.Module:
    """A new instance, brought to the CPU if its constructor, or its maker, put it elsewhere."""
    module = subject.new().module
    if any(entry.tensor.is_cuda for entry in registered_once(module)):
        move(subject, module, Phase.CPU, "cpu")
    return module


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
    moved, rows = len(subject.trace.moved & names.keys()), subject.trace.rows_moved
    if raised:
        return Run(device, raised, (), phase, moved, rows)
    outputs = _described(subject, module, inputs, returned, device)
    return Run(device, None, outputs, phase, moved, rows)


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
