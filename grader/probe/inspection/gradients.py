"""How far gradients come back, from each output of a call."""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.values import leaves
from grader.schema import Output, Values

MOST_ASKED = 100  # outputs


def with_gradients(
    outputs: tuple[Output, ...],
    returned: Any,
    module: nn.Module,
    inputs: Inputs,
    has_names: bool = True,
) -> tuple[Output, ...]:
    """`outputs`, each with the length of the gradient of its sum for each Parameter and input.

    Runs the backward pass of the learner's code, which may raise. Without names that others know
    its Parameters by, inputs alone are asked.
    """
    named = [(entry.name, entry.tensor) for entry in registered_once(module) if has_names]
    given = [pair for pair in leaves(inputs.args, "input") if isinstance(pair[1], torch.Tensor)]
    targets = {name: tensor for name, tensor in (*named, *given) if tensor.requires_grad}
    asked = (_with_lengths(*pair, targets) for pair in zip(outputs, _first(returned), strict=False))
    return (*asked, *outputs[MOST_ASKED:])


def _first(returned: Any) -> list[Any]:
    return [leaf for _, leaf in islice(leaves(returned, "output"), MOST_ASKED)]


def _with_lengths(output: Output, leaf: Any, targets: dict[str, torch.Tensor]) -> Output:
    if not (isinstance(leaf, torch.Tensor) and leaf.requires_grad and targets):
        return output
    # Not the plain sum: of a softmax that is constant.
    weighted = (leaf * torch.arange(1, leaf.numel() + 1).view(leaf.shape)).sum()
    tensors = tuple(targets.values())
    gradients = torch.autograd.grad(weighted, tensors, retain_graph=True, allow_unused=True)
    lengths = (0.0 if found is None else float(found.norm()) for found in gradients)
    return replace(output, reaches=tuple(targets), gradients=Values.of(lengths))
