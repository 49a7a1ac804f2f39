"""One good answer to exercise 02b: assigning sorts, and everything else walks the registers."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn


class Module:
    """Knows its Parameters, its buffers and its children, and moves them."""

    def __init__(self) -> None:
        vars(self).update(_parameters={}, _buffers={}, _modules={})

    def register_buffer(self, name: str, tensor: torch.Tensor) -> None:
        """Take a tensor that moves and is not trained."""
        self._buffers[name] = tensor

    def __getattr__(self, name: str) -> Any:
        """Look in the registers for what is no ordinary attribute."""
        for register in ("_parameters", "_buffers", "_modules"):
            if name in vars(self).get(register, {}):
                return vars(self)[register][name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def cuda(self) -> "Module":
        """Move to the GPU."""
        return self._apply(lambda tensor: tensor.cuda())

    def __call__(self, *inputs: torch.Tensor) -> Any:
        return self.forward(*inputs)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, nn.Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        elif name in self._buffers:
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def parameters(self) -> Iterable[nn.Parameter]:
        """Return what an optimizer is to train."""
        yield from self._parameters.values()
        for child in self._modules.values():
            yield from child.parameters()

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor]) -> "Module":
        """Apply `fn`, such as a move, to every tensor."""
        for child in self._modules.values():
            child._apply(fn)
        for parameter in self._parameters.values():
            parameter.data = fn(parameter.data)
        for name, buffer in self._buffers.items():
            self._buffers[name] = fn(buffer)
        return self


class Linear(Module):
    """A linear layer."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, inputs); return one of shape (batch, outputs)."""
        return x @ self.weight.T + self.bias


class PriceModel(Module):
    """Estimates the prices of houses."""

    def __init__(self, mean: list[float], std: list[float], hidden: int, decay: float) -> None:
        super().__init__()
        self.decay = decay
        self.register_buffer("std", torch.tensor(std))
        self.register_buffer("mean", torch.zeros(len(mean)))
        self.mean = torch.tensor(mean)
        self.hidden = Linear(len(mean), hidden)
        self.price = Linear(hidden, 1)

    def forward(self, houses: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Take a batch of shape (batch, features); return prices, and a penalty on the weights."""
        prices = self.price(torch.tanh(self.hidden((houses - self.mean) / self.std)))
        penalty = prices.new_zeros(())
        for parameter in self.parameters():
            penalty = penalty + self.decay * parameter.square().sum()
        return prices, penalty
