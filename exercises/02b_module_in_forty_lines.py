"""Exercise 02b: `nn.Module` in forty lines.

`Module` does what `nn.Module` does when an attribute is assigned and when the model moves. It has
three registers, for Parameters, buffers and child modules. On the CPU the prices of `PriceModel`
are right, though its penalty is 0. After a move nothing works.

Your task: let `Module` do the same as PyTorch's.

- `__setattr__` puts Parameters and child modules into their registers. A tensor assigned to the
  name of a buffer becomes that buffer. Everything else becomes an ordinary attribute.
- `parameters()` returns the module's own Parameters and those of its children.
- `_apply(fn)` moves what is in the registers, children too, and returns the module. A Parameter
  stays the same object, since an optimizer may hold it.

The rest of the file is right. Do not inherit from `nn.Module`. The grader builds a larger model on
`Module`: `Prices` has the children `hidden` and `price`, and `hidden` has `scale` and `layer`.

Check it with:  grader check 02b
"""

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
        else:
            object.__setattr__(self, name, value)

    def parameters(self) -> Iterable[nn.Parameter]:
        """Return what an optimizer is to train."""
        return self._parameters.values()

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor]) -> "Module":
        """Apply `fn`, such as a move, to every tensor."""
        for register in (self._parameters, self._buffers):
            for tensor in register.values():
                fn(tensor)
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
