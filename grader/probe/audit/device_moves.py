"""An audit's journey: instances that are moved, called, moved again and called again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.evidence import Leg, Output, Run
from grader.inspection.inputs import Inputs
from grader.inspection.names import known
from grader.inspection.plain import dict_of
from grader.inspection.source import learner_place
from grader.inspection.values import leaves, outputs_of
from grader.inspection.walk import registered_modules
from grader.probe.subject import Subject

Facts = dict[str, Any]
JOURNEY: tuple[tuple[Leg, str], ...] = (
    ("moved", "cuda:0"),
    ("second", "cuda:1"),
    ("back", "cpu"),
)


class Parent(nn.Module):
    """A module that holds the one under audit, as a larger model would."""

    def __init__(self, child: nn.Module) -> None:
        super().__init__()
        self.child = child

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Whatever the child gives."""
        return self.child(*args, **kwargs)


def travel(subject: Subject) -> Facts:
    """The instance that was called at home, moved to cuda:0, to cuda:1 and back, in eval mode."""
    if subject.first is None:
        return {}
    module, subject.first = subject.first.module, None
    runs = []
    for leg, device in JOURNEY:
        if device == "cuda:1" and torch.cuda.device_count() < 2:
            continue
        runs.append(move_and_call(subject, module, leg, device))
        if runs[-1].raised:
            break
        if subject.is_late and leg != "back":
            left_out = f"moves after the one to {device} ({subject.seconds:.0f} s were used up)"
            return {"runs": tuple(runs), "skipped": (left_out,)}
    return {"runs": tuple(runs)}


def arrive(subject: Subject) -> Facts:
    """A new instance that is moved before its first call: eval mode, train mode, half a batch."""
    module, subject.moved = subject.moved, None
    if module is None:
        module = subject.new().module
    runs = [move_and_call(subject, module, "cuda", "cuda:0")]
    asks_to_move = bool(subject.trace.asked_to_move)
    inputs = subject.fed_to("cuda:0")
    if not runs[0].raised:
        subject.run(lambda: module.train())
        runs.append(call(subject, module, "train", "cuda:0", inputs))
        subject.run(lambda: module.eval())
        half = first_half(inputs)
        if half is not None:
            runs.append(call(subject, module, "half", "cuda:0", half))
    if asks_to_move:
        runs.append(call(subject, module, "cpu_inputs", "cuda:0", subject.feed()))
    return {"runs": tuple(runs)}


def adopted(subject: Subject) -> Facts:
    """As the child of another module, which is what gets moved: the same, unless it overrides."""
    if not subject.overrides_a_move:
        return {}
    parent = Parent(subject.new().module)
    return {"runs": (move_and_call(subject, parent, "parent", "cuda:0"),)}


def replicated(subject: Subject) -> Facts:
    """As one of `nn.DataParallel`'s replicas, made as DataParallel makes them."""
    module = subject.new().module
    subject.run(lambda: module.eval())
    replica, raised = subject.attempt(lambda: _replica(module), module)
    if raised:  # a lazy module, say, cannot be replicated before its first call
        return {}
    asked = _asked_for_parameters(subject, replica)
    run = call(subject, replica, "replica", "cpu", subject.feed().to("cpu"))
    line = next((line for line in asked if line), 0)
    outputs = tuple(replace(output, line=line or output.line) for output in run.outputs)
    return {"runs": (replace(run, outputs=outputs),)}


def _asked_for_parameters(subject: Subject, replica: nn.Module) -> list[int]:
    """Fills with the lines that ask a replica for its Parameters, of which it has none."""
    lines: list[int] = []

    def ask(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        lines.append(learner_place(subject.files)[1])
        return type(module).named_parameters(module, *args, **kwargs)

    for each, _, _ in registered_modules(replica, "self", ""):
        dict_of(each)["named_parameters"] = partial(ask, each)
    return lines


def move_and_call(subject: Subject, module: nn.Module, leg: Leg, device: str) -> Run:
    """Move the module, and call it there in eval mode.

    The way back is `.cpu()`: an override of `.to` alone does not see it.
    """

    def move() -> Any:
        return module.cpu() if leg == "back" else module.to(device)

    _, raised = subject.attempt(move, module)
    if raised:
        return Run(device, raised, leg=leg)
    return call(subject, module, leg, device, subject.fed_to(device))


def call(subject: Subject, module: nn.Module, leg: Leg, device: str, inputs: Inputs) -> Run:
    """Call the module, in eval mode unless the leg is `train`."""
    if leg != "train" and subject.run(lambda: module.training):
        _, raised = subject.attempt(lambda: module.eval(), module)
        if raised:
            return Run(device, raised, leg=leg)
    names = inputs.named()
    with torch.no_grad():
        returned, raised = subject.call(module, inputs)
    moved, rows = len(subject.trace.moved & names.keys()), subject.trace.rows_moved
    if raised:
        return Run(device, raised, (), leg, moved, rows)
    outputs = _described(subject, module, inputs, returned, device)
    return Run(device, None, outputs, leg, moved, rows)


def _described(
    subject: Subject, module: nn.Module, inputs: Inputs, returned: Any, device: str
) -> tuple[Output, ...]:
    outputs = outputs_of(returned)
    if all(output.device in ("", device) for output in outputs):
        return outputs
    names = known(module, inputs, subject.run)
    return tuple(
        subject.trace.describe_output(output, leaf, names)
        if isinstance(leaf, torch.Tensor)
        else output
        for output, (_, leaf) in zip(outputs, leaves(returned, "output"), strict=True)
    )


def first_half(inputs: Inputs) -> Inputs | None:
    """The first half of the batch, where all tensors agree on its size."""
    given = tree_leaves((inputs.args, dict(inputs.kwargs)))
    sizes = {len(each) for each in given if isinstance(each, torch.Tensor) and each.dim()}
    if len(sizes) != 1 or (size := sizes.pop()) < 2:
        return None
    return inputs.each(lambda tensor: tensor[: size // 2].clone() if tensor.dim() else tensor)


def _replica(module: nn.Module) -> nn.Module:
    """What `torch.nn.parallel.replicate` makes: Parameters are plain attributes of a replica."""
    replicas: dict[Any, Any] = {
        each: each._replicate_for_data_parallel()  # type: ignore[no-untyped-call]
        for each in module.modules()
    }
    for each, replica in replicas.items():
        for name, child in each._modules.items():
            replica._modules[name] = replicas[child] if child is not None else None
        for name, parameter in each._parameters.items():
            if parameter is None:
                replica._parameters[name] = None
            else:
                setattr(replica, name, parameter.detach().clone())
    root: nn.Module = replicas[module]
    return root
