"""Probes a class that a learner wrote in place of `nn.Module`, by a model that is built on it.

The class is driven by what the exercise asks for alone. For all else that a probe asks of a module,
such as modes and `state_dict()`, each module of the model has an `nn.Module` next to it, with the
same registers and attributes. So nothing has to be lent to the learner's class.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import torch
from torch import nn

OWN = vars(nn.Module()).keys()


class Driven(nn.Module):
    """The `nn.Module` next to a learner's module, which is `of` in a class made for it."""

    __module__ = nn.Module.__module__  # it counts as PyTorch's
    of: Any

    def mirror(self, known: dict[int, Driven]) -> Driven:
        """Take over what the learner's holds now; `known` are those next to others, by `id`."""
        known[id(self.of)] = self
        own, base = vars(self.of), type(self.of).__mro__[1]

        def next_to(value: Any) -> Any:
            is_new = isinstance(value, base) and id(value) not in known
            return drive(value, known) if is_new else known.get(id(value), value)

        held = {name: next_to(value) for name, value in own.items() if name not in OWN}
        children = {name: next_to(child) for name, child in own["_modules"].items()}
        held["_modules"] = {n: c for n, c in children.items() if isinstance(c, Driven)}
        vars(self).update(held, _parameters=own["_parameters"], _buffers=own["_buffers"])
        return self

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        return self._mirrored(self.of._apply(fn))

    def cuda(self, device: Any = None) -> Any:
        return self._mirrored(self.of.cuda())

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Call the learner's."""
        return self._mirrored(self.of(*inputs))

    def _mirrored(self, returned: Any) -> Any:
        self.mirror({})
        return self if returned is self.of else returned


def is_driven(module: object) -> TypeGuard[Driven]:
    """By its type: to ask the module itself, as `isinstance` may, would run the learner's code."""
    return issubclass(type(module), Driven)


def drive(module: Any, known: dict[int, Driven]) -> Driven:
    """The `nn.Module` next to a module."""
    own = {"of": module, "__module__": nn.Module.__module__}
    driven: Driven = type(type(module).__name__, (Driven,), own)()
    return driven.mirror(known)


def model_on(base: type, **arguments: Any) -> Driven:
    """What drives a model that is built on a learner's class.

    Raises:
        TypeError: the class is derived from `nn.Module`.
    """
    if issubclass(base, nn.Module):
        raise TypeError(f"{base.__name__} inherits from nn.Module, whose work it is to do itself")
    return drive(_model_class(base)(**arguments), {})


def _model_class(base: Any) -> Any:
    """Three levels of modules of several kinds; a buffer below, and one of which calls assign."""

    class Layer(base):  # type: ignore[misc]
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(outputs, inputs))
            self.bias = nn.Parameter(torch.zeros(outputs))

        def forward(self, x: torch.Tensor) -> Any:
            return x @ self.weight.T + self.bias

    class Scale(base):  # type: ignore[misc]
        def __init__(self, mean: list[float], std: list[float]) -> None:
            super().__init__()
            self.register_buffer("std", torch.tensor(std))
            self.register_buffer("mean", torch.zeros(1))
            self.mean = torch.tensor(mean)

        def forward(self, x: torch.Tensor) -> Any:
            return (x - self.mean) / self.std

    class HiddenLayer(base):  # type: ignore[misc]
        def __init__(self, mean: list[float], std: list[float], hidden: int) -> None:
            super().__init__()
            self.scale, self.layer = Scale(mean, std), Layer(len(mean), hidden)

        def forward(self, x: torch.Tensor) -> Any:
            return torch.tanh(self.layer(self.scale(x)))

    class Prices(base):  # type: ignore[misc]
        def __init__(self, mean: list[float], std: list[float], hidden: int, decay: float) -> None:
            super().__init__()
            self.register_buffer("last", torch.zeros(1))
            self.hidden, self.price = HiddenLayer(mean, std, hidden), Layer(hidden, 1)
            self.decay = decay

        def forward(self, houses: torch.Tensor) -> Any:
            prices = self.price(self.hidden(houses))
            self.last, self.highest = prices.detach(), prices.detach().max()
            penalty = sum(p.square().sum() for p in self.parameters())
            return prices, self.decay * penalty + prices.new_zeros(())

    return Prices
