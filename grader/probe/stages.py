"""What a probe does with a module: construct, move, call, train and reload it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from grader.evidence import (
    Checkpoint,
    Movement,
    Output,
    Run,
    Trained,
    Training,
)
from grader.probe.structure import structure_of, tensors_of
from grader.probe.subject import Instance, Subject, attempt
from grader.probe.values import fill_state, leaves, outputs_of, sorted_state, state_of

Facts = dict[str, Any]
Stage = Callable[[Subject], Facts]
MOVES: dict[str, Callable[[nn.Module], object]] = {
    ".cuda()": lambda module: module.cuda(),
    '.to("cuda")': lambda module: module.to("cuda"),
}
LEARNING_RATE = 0.1


def construction(subject: Subject) -> Facts:
    """Build it on the CPU and write down its structure."""
    instance, raised = subject.build()
    if instance is None:
        return {"construction": raised}
    lines = instance.trace.lines()
    structure = structure_of(instance.module, subject.identities, lines, instance.filled)
    return {"structure": structure}


def movement(subject: Subject) -> Facts:
    """Move a new instance in each way, and look where its tensors are."""
    return {"movements": tuple(_move(subject, how) for how in MOVES)}


def execution(subject: Subject) -> Facts:
    """Call one instance on the CPU and another on CUDA, from the same state."""
    on_cpu = _filled(subject)
    on_cuda = _filled(subject)
    state = state_of(on_cpu.module)
    return {"state": state, "runs": (_run(subject, on_cpu, "cpu"), _run(subject, on_cuda, "cuda"))}


def training(subject: Subject) -> Facts:
    """One step of SGD on CUDA, towards random targets."""
    instance = _filled(subject)
    module = instance.module
    before: dict[str, torch.Tensor] = {}

    def step() -> None:
        module.cuda().train()
        before.update({n: t.detach().clone() for n, t in sorted_state(module).items()})
        trainable = [p for p in module.parameters() if p.requires_grad]
        if trainable:
            _train(module, trainable, subject)

    _, raised = attempt(step, instance.trace, instance.attributes)
    return {"training": Training(raised, tuple(_trained(module, before)))}


def checkpoint(subject: Subject) -> Facts:
    """Load its state_dict into a fresh instance, both on the CPU, and call the two."""
    saved, fresh = _filled(subject), _new(subject)
    result: list[Any] = []

    def load() -> None:
        state = copy.deepcopy(dict(saved.module.state_dict()))
        result.append(fresh.module.load_state_dict(state, strict=False))

    _, raised = attempt(load, fresh.trace)
    if raised or not result:
        return {"checkpoint": Checkpoint(raised)}
    before, after = _outputs(subject, saved), _outputs(subject, fresh)
    missing, unexpected = result[0]
    return {"checkpoint": Checkpoint(None, tuple(missing), tuple(unexpected), before, after)}


STAGES = (construction, movement, execution, training, checkpoint)


def _new(subject: Subject) -> Instance:
    instance, raised = subject.build()
    if instance is None:
        raise RuntimeError(f"it was constructed once, but not again: {raised}")
    return instance


def _filled(subject: Subject) -> Instance:
    instance = _new(subject)
    fill_state(instance.module, subject.seed)
    return instance


def _move(subject: Subject, how: str) -> Movement:
    instance = _new(subject)
    _, raised = attempt(lambda: MOVES[how](instance.module), instance.trace)
    lines = instance.trace.lines()
    return Movement(how, raised, tensors_of(instance.module, subject.identities, lines))


def _run(subject: Subject, instance: Instance, device: str) -> Run:
    inputs = subject.inputs()
    if device != "cpu":
        _, raised = attempt(lambda: instance.module.to(device), instance.trace)
        if raised:
            return Run(device, raised)
        inputs = tuple(each.to(device) for each in inputs)
    instance.module.eval()
    with torch.no_grad():
        returned, raised = subject.call(instance, inputs)
    return Run(device, raised) if raised else Run(device, None, outputs_of(returned))


def _outputs(subject: Subject, instance: Instance) -> tuple[Output, ...]:
    return _run(subject, instance, "cpu").outputs


def _train(module: nn.Module, trainable: list[nn.Parameter], subject: Subject) -> None:
    torch.manual_seed(subject.seed)
    inputs = tuple(each.cuda() for each in subject.inputs())
    loss = _distance_to_random_targets(module(*inputs), subject.seed)
    if loss is not None:
        loss.backward()  # type: ignore[no-untyped-call]
    # By hand: the first step of any torch.optim optimizer imports torch._dynamo, for seconds.
    with torch.no_grad():
        for parameter in trainable:
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=LEARNING_RATE)


def _distance_to_random_targets(returned: Any, seed: int) -> torch.Tensor | None:
    """A loss no output minimises by accident; None if nothing needs a gradient."""
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _, leaf in leaves(returned, ""):
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.is_floating_point():
            target = torch.randn(leaf.shape, generator=generator).to(leaf.device)
            losses.append(((leaf - target) ** 2).sum() / max(leaf.numel(), 1))
    return torch.stack([loss.to(losses[0].device) for loss in losses]).sum() if losses else None


def _trained(module: nn.Module, before: dict[str, torch.Tensor]) -> Iterable[Trained]:
    parameters = dict(module.named_parameters())
    for name, tensor in sorted_state(module).items():
        yield Trained(
            name=name,
            role="parameter" if name in parameters else "buffer",
            requires_grad=tensor.requires_grad,
            has_gradient=tensor.grad is not None,
            changed=name in before and not torch.equal(tensor.detach(), before[name]),
        )
