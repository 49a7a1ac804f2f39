"""When two calls need one audit: same class, same settings, same kinds of inputs."""

from __future__ import annotations

from collections.abc import Hashable

import torch
from torch import nn
from torch.utils._pytree import tree_flatten

from grader.probe import Inputs, dict_of, registered_modules, registered_tensors


def configuration(module: nn.Module, inputs: Inputs) -> Hashable:
    """What distinguishes a call from others, numbers and sizes left out.

    1. Of the module and its children: path, class, and attributes that are a bool, text or None,
       which choose between branches.
    2. Names and dtypes of the registered tensors.
    3. The nesting of the inputs, and the dtypes of their tensors.
    """
    children = list(registered_modules(module, "self", ""))
    leaves, nesting = tree_flatten((inputs.args, dict(inputs.kwargs)))
    return (
        type(module),
        tuple((path, type(child), _switches(child)) for child, path, _ in children),
        tuple(
            (entry.path, entry.tensor.dtype)
            for child, path, prefix in children
            for entry in registered_tensors(child, path, prefix)
        ),
        str(nesting),
        tuple(leaf.dtype if isinstance(leaf, torch.Tensor) else type(leaf) for leaf in leaves),
    )


def _switches(module: nn.Module) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, value)
        for name, value in dict_of(module).items()
        if type(value) in (bool, str, type(None)) and name != "training"
    )
