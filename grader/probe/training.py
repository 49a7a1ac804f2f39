"""One step of gradient descent, and its effect on each registered tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from grader.evidence import Trained
from grader.inspection.inputs import Inputs
from grader.inspection.registered import registered_once
from grader.inspection.values import is_dense, leaves, sorted_entries
from grader.probe.subject import Subject, seed_generators

LEARNING_RATE = 0.1


def step(subject: Subject, module: nn.Module, inputs: Inputs) -> torch.Tensor | None:
    """Train `module` by one step of SGD towards random targets.

    Returns:
        the loss, 0-dimensional; None if no output needs a gradient.

    Raises:
        BaseException: whatever the module raises.
    """
    subject.run(lambda: module.zero_grad(set_to_none=True))
    seed_generators(subject.seed)
    returned = subject.train_call(module, inputs)
    loss = distance_to_random_targets(returned, subject.seed, subject.learns_from)
    if loss is not None:
        subject.run(lambda: loss.backward())  # type: ignore[no-untyped-call]
    # By hand: the first step of any torch.optim optimizer imports torch._dynamo, for seconds.
    with torch.no_grad():
        for parameter in _parameters(module).values():
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=LEARNING_RATE)
    return loss


def distance_to_random_targets(returned: Any, seed: int, only: str = "") -> torch.Tensor | None:
    """The summed mean squared distance of all floating-point outputs to normal random targets.

    No output minimises it by accident, so every trained tensor should get a gradient.

    Args:
        returned: what the module gave.
        seed: of the targets.
        only: the path of the one output that counts; all of them, unless given.
    """
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for path, leaf in leaves(returned, "output"):
        if only and path != only:
            continue
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.is_floating_point():
            target = torch.randn(leaf.shape, generator=generator).to(leaf.device)
            losses.append(((leaf - target) ** 2).sum() / max(leaf.numel(), 1))
    return torch.stack([loss.to(losses[0].device) for loss in losses]).sum() if losses else None


def trained(module: nn.Module, before: dict[str, torch.Tensor]) -> Iterable[Trained]:
    """What the step did to each registered tensor, which had the values `before`."""
    for entry in sorted_entries(module):
        name, tensor = entry.name, entry.tensor
        yield Trained(
            name=name,
            role="parameter" if entry.role == "parameter" else "buffer",
            requires_grad=tensor.requires_grad,
            has_gradient=tensor.grad is not None,
            changed=name in before and _differ(tensor.detach(), before[name]),
        )


def _parameters(module: nn.Module) -> dict[str, torch.Tensor]:
    """The registered Parameters, whatever the module says of them."""
    registered = registered_once(module)
    return {entry.name: entry.tensor for entry in registered if entry.role == "parameter"}


def _differ(after: torch.Tensor, before: torch.Tensor) -> bool:
    """Whether two dense tensors differ, compared on the CPU: the module may have moved itself."""
    if not (is_dense(after) and is_dense(before)):
        return False  # nothing there trains it: not all of these can be compared
    return after.shape != before.shape or not torch.equal(after.cpu(), before.cpu())
