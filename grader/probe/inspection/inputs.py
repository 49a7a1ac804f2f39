"""The inputs of a call: moves them between devices, and names the tensors in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from grader.probe.inspection.values import leaves

Tree = TypeVar("Tree")
PLAIN = (int, float, complex, str, type(None), torch.Size, torch.dtype)


@dataclass(frozen=True)
class Inputs:
    """Arguments of `forward`, nested in any containers that `torch.utils._pytree` knows."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def to(self, device: str) -> Inputs:
        """Detached copies on `device`; a call that changes them in place leaves these alone."""
        return self.each(lambda tensor: tensor.detach().to(device, copy=True))

    def each(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Inputs:
        """New inputs, with `change` applied to every tensor."""
        if not self.kwargs and all(type(argument) is torch.Tensor for argument in self.args):
            return Inputs(tuple(map(change, self.args)))  # as most, without pytree's cost
        args, kwargs = with_each_tensor(change, (self.args, dict(self.kwargs)))
        return Inputs(args, kwargs)

    @property
    def are_plain(self) -> bool:
        """Whether they are numbers and texts alone, none of which is on a device."""
        return all(isinstance(leaf, PLAIN) for leaf in self._leaves)

    @property
    def batch_sizes(self) -> Iterator[int]:
        """The first dimension of each tensor that has one."""
        tensors = (leaf for leaf in self._leaves if isinstance(leaf, torch.Tensor))
        return (len(tensor) for tensor in tensors if tensor.dim())

    @property
    def _leaves(self) -> list[Any]:
        return tree_leaves((self.args, dict(self.kwargs)))

    def named(self, parameters: Sequence[str] = ()) -> dict[int, str]:
        """By `id(tensor)`: `rows[1]` where `forward` calls it so, else `input 0[1]`."""
        names = [*parameters, *(f"input {i}" for i in range(len(parameters), len(self.args)))]
        arguments = (*zip(names, self.args, strict=False), *self.kwargs.items())
        found = (pair for name, arg in arguments for pair in leaves(arg, name))
        return {id(leaf): path for path, leaf in found if isinstance(leaf, torch.Tensor)}


def with_each_tensor(change: Callable[[torch.Tensor], torch.Tensor], tree: Tree) -> Tree:
    """The tree with `change` applied to every tensor in its containers.

    A `torch.Size` stays one. pytree makes a tuple of it, and `tensor.new(())` has no number.
    """
    changed: Tree = tree_map_only(
        torch.Tensor, change, tree, is_leaf=lambda node: type(node) is torch.Size
    )
    return changed


def written_inputs(source: str, names: Mapping[str, Any]) -> Inputs:
    """What stands between the parentheses of a call, with the values that it has.

    Args:
        source: such as `torch.randn(2, 8), mask=None`.
        names: what it may use, besides `torch` and `nn`.

    Raises:
        Exception: whatever it raises.
    """

    def collect(*args: Any, **kwargs: Any) -> Inputs:
        return Inputs(args, kwargs)

    known = {**names, "torch": torch, "nn": torch.nn, "collect": collect}
    collected: Inputs = eval(f"collect({source})", known)
    return collected
