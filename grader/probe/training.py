"""One step of gradient descent, and its effect on each registered tensor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import nn

from grader.probe.generators import seed_generators
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import Reached, registered_once
from grader.probe.inspection.values import is_dense, leaves, sorted_and_sized
from grader.probe.session import Session
from grader.schema import Trained

LEARNING_RATE = 0.1


class Stepped(NamedTuple):
    """After a step of training.

    Attributes:
        loss: 0-dimensional; None if no output needs a gradient.
        registered: the Parameters and buffers of the module, each once.
    """

    loss: torch.Tensor | None
    registered: list[Reached]


def step(session: Session, module: nn.Module, inputs: Inputs) -> Stepped:
    """Train `module` by one step of SGD towards random targets.

    Raises:
        BaseException: whatever the module raises.
    """
    session.run(lambda: module.zero_grad(set_to_none=True))
    seed_generators(session.subject.seed)
    returned = session.train_call(module, inputs)
    loss = distance_to_random_targets(returned, session.subject.seed, session.wants.learns_from)
    if loss is not None:
        session.backward(loss)
    # By hand: the first step of any torch.optim optimizer imports torch._dynamo, for seconds.
    registered = registered_once(module)  # whatever the module says of its Parameters
    with torch.no_grad():
        for entry in registered:
            if entry.role == "parameter" and entry.tensor.grad is not None:
                entry.tensor.sub_(entry.tensor.grad, alpha=LEARNING_RATE)
    return Stepped(loss, registered)


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


def trained(registered: list[Reached], before: dict[str, torch.Tensor]) -> Iterable[Trained]:
    """What the step did to each registered tensor, which had the values `before`."""
    for entry in sorted_and_sized(registered):
        name, tensor = entry.name, entry.tensor
        yield Trained(
            name=name,
            role="parameter" if entry.role == "parameter" else "buffer",
            requires_grad=tensor.requires_grad,
            has_gradient=tensor.grad is not None,
            changed=name in before and _differ(tensor.detach(), before[name]),
        )


def _differ(after: torch.Tensor, before: torch.Tensor) -> bool:
    """Whether two dense tensors differ, compared on the CPU: the module may have moved itself."""
    if not (is_dense(after) and is_dense(before)):
        return False  # nothing there trains it: not all of these can be compared
    return after.shape != before.shape or not torch.equal(after.cpu(), before.cpu())
