"""An audit's calls on several devices: instances are moved, called, moved on and called again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from grader.evidence import Evidence, Location, Output, Phase, Run
from grader.inspection.inputs import Inputs
from grader.inspection.names import named_tensors
from grader.inspection.plain import dict_of
from grader.inspection.source import Position, learners_location
from grader.inspection.values import leaves, outputs_of
from grader.inspection.walk import Observer, registered_modules, registered_once
from grader.probe.audit.run import AuditRun
from grader.probe.subject import Subject

DEVICE_MOVES = ((Phase.MOVED, "cuda:0"), (Phase.MOVED_ON, "cuda:1"), (Phase.MOVED_BACK, "cpu"))


class Parent(nn.Module):
    """A module that holds the one under audit, as a larger model would."""

    def __init__(self, child: nn.Module) -> None:
        super().__init__()
        self.child = child

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Whatever the child gives."""
        return self.child(*args, **kwargs)


def device_moves(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Move the instance that was called on the CPU to cuda:0, to cuda:1 and back; eval mode."""
    if audit.first is None:
        return evidence
    subject, module, audit.first = audit.subject, audit.first.module, None
    for phase, device in DEVICE_MOVES:
        if device == "cuda:1" and torch.cuda.device_count() < 2:
            continue
        run = move_and_call(subject, module, phase, device)
        evidence = evidence.with_runs(run)
        if run.raised:
            break
        if subject.is_late and phase is not Phase.MOVED_BACK:
            why = f"{subject.seconds:.0f} s were used up"
            return evidence.without(f"moves after the one to {device}", why)
    return evidence


def calls_on_cuda(audit: AuditRun, evidence: Evidence) -> Evidence:
    """A new instance that is moved before its first call: eval mode, train mode, half a batch."""
    subject, module, audit.moved = audit.subject, audit.moved, None
    if module is None:
        module = subject.new().module
    before = {id(entry.tensor) for entry in registered_once(module)}
    runs = [move_and_call(subject, module, Phase.CUDA, "cuda:0")]
    if runs[0].raised and _took_over(subject, module, before):
        runs = [move_and_call(subject, module, Phase.CUDA, "cuda:0")]
    asks_to_move = bool(subject.trace.asked_to_move)
    inputs = subject.fed_to("cuda:0")
    if not runs[0].raised:
        subject.run(lambda: module.train())
        runs.append(call(subject, module, Phase.TRAIN_MODE, "cuda:0", inputs))
        subject.run(lambda: module.eval())
        half = first_half(inputs)
        if half is not None:
            runs.append(call(subject, module, Phase.HALF_BATCH, "cuda:0", half))
    if asks_to_move:
        runs.append(call(subject, module, Phase.CPU_INPUTS, "cuda:0", subject.feed()))
    return evidence.with_runs(*runs)


def _took_over(subject: Subject, module: nn.Module, before: set[int]) -> bool:
    """Whether a call registered a tensor of another instance.

    As pyro's modules do, which look Parameters up by name in a store of the process. Nobody moves a
    module before the call in which it gets them, if not by accident.
    """
    new = (id(entry.tensor) for entry in registered_once(module) if id(entry.tensor) not in before)
    return any(subject.identities.known(key) for key in new)


def part_of_another(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call the module as the child of a parent that is moved.

    `Module.to` of a parent calls `_apply` of its children, and never their `to`. So this differs
    from a plain move only if the module overrides a method such as `to`, and is skipped otherwise.
    If a child does, and a call after a plain move raised, another call follows: of an instance
    whose children were moved by their own methods too.
    """
    overrides = evidence.structure.overrides if evidence.structure else ()
    if any(_owner_of(override) == "self" for override in overrides):
        parent = Parent(audit.subject.new().module)
        run = move_and_call(audit.subject, parent, Phase.PART_OF_ANOTHER, "cuda:0")
        evidence = evidence.with_runs(run)
    children = [override for override in overrides if _owner_of(override) != "self"]
    is_refused = any(run.raised for run in evidence.runs if run.phase is Phase.CUDA)
    if children and is_refused:
        evidence = evidence.with_runs(_children_moved(audit.subject, children))
    return evidence


def _children_moved(subject: Subject, overrides: list[Location]) -> Run:
    """A call after a move that also called what the module's children override."""
    module = subject.new().module
    owners = {path: child for child, path, _ in registered_modules(module, "self", "")}
    methods = [
        getattr(owners[_owner_of(override)], override.path.rpartition(".")[2])
        for override in overrides
        if override.path.endswith((".to", ".cuda")) and _owner_of(override) in owners
    ]

    def move() -> None:
        for method in methods:
            method("cuda:0")

    _, raised = subject.attempt(move, module)
    if raised:
        return Run("cuda:0", raised, phase=Phase.CHILDREN_MOVED)
    return move_and_call(subject, module, Phase.CHILDREN_MOVED, "cuda:0")


def _owner_of(override: Location) -> str:
    """The path of the module whose method it is."""
    return override.path.rpartition(".")[0]


def replica(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call one replica of the module, made as `nn.DataParallel` makes them.

    The module is on cuda:0, and its replica on the CPU, which stands for the other GPUs: there,
    whatever leads to the module itself meets inputs of another device.
    """
    subject = audit.subject
    if subject.needs_gradients:  # a replica's Parameters get none in this call
        return evidence
    module = subject.new().module
    subject.run(lambda: module.eval())
    copy, raised = subject.attempt(lambda: _replica(module.to("cuda:0"), "cpu"), module)
    if raised:  # a lazy module, say, cannot be replicated before its first call
        return evidence
    requests = _record_requests_for_parameters(subject, copy)
    run = call(subject, copy, Phase.REPLICA, "cpu", subject.feed().to("cpu"))
    for file, line in requests[:1]:
        outputs = tuple(replace(output, file=file, line=line) for output in run.outputs)
        run = replace(run, outputs=outputs)
    return evidence.with_runs(run)


@dataclass(eq=False)
class _Request(Observer):
    """Stands for a module's `named_parameters`, and notes the line that asks for them."""

    subject: Subject
    module: nn.Module
    requests: list[Position]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (position := learners_location(self.subject.files))[1]:
            self.requests.append(position)
        return type(self.module).named_parameters(self.module, *args, **kwargs)


def _record_requests_for_parameters(subject: Subject, replica: nn.Module) -> list[Position]:
    """A list that fills with the positions of lines that ask a replica for its Parameters.

    A replica has none: code such as `next(self.parameters()).device` fails there.
    """
    requests: list[Position] = []
    for owner, _, _ in registered_modules(replica, "self", ""):
        dict_of(owner)["named_parameters"] = _Request(subject, owner, requests)
    return requests


def move_and_call(subject: Subject, module: nn.Module, phase: Phase, device: str) -> Run:
    """Move the module, and call it there in eval mode.

    The way back is `.cpu()`: an override of `.to` alone does not see it.
    """

    def move() -> Any:
        return module.cpu() if phase is Phase.MOVED_BACK else module.to(device)

    _, raised = subject.attempt(move, module)
    if raised:
        return Run(device, raised, phase=phase)
    return call(subject, module, phase, device, subject.fed_to(device))


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


def _described(
    subject: Subject, module: nn.Module, inputs: Inputs, returned: Any, device: str
) -> tuple[Output, ...]:
    outputs = outputs_of(returned)
    if all(output.device in ("", device) for output in outputs):
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


def _replica(module: nn.Module, device: str) -> nn.Module:
    """One replica on another device.

    As `torch.nn.parallel.replicate` (torch/nn/parallel/replicate.py) makes it:

    1. `_replicate_for_data_parallel` copies each module shallowly, with empty `_parameters`.
    2. Children are replaced by their replicas.
    3. Parameters become plain attributes, tensors that are no leaves there and copies here. Buffers
       are copied to the device.
    """
    replicas: dict[Any, Any] = {
        original: original._replicate_for_data_parallel()  # type: ignore[no-untyped-call]
        for original in module.modules()
    }
    for original, replica in replicas.items():
        for name, child in original._modules.items():
            replica._modules[name] = replicas[child] if child is not None else None
        for name, parameter in original._parameters.items():
            if parameter is None:
                replica._parameters[name] = None
            else:
                setattr(replica, name, parameter.detach().to(device, copy=True))
        for name, buffer in original._buffers.items():
            if buffer is not None:
                replica._buffers[name] = buffer.to(device, copy=True)
    root: nn.Module = replicas[module]
    return root
