"""A scripted submodule inside an ordinary one."""

import warnings

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim: int = 6):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.register_buffer("shift", torch.linspace(-1.0, 1.0, dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.linear(x) + self.shift) * x


class WithScriptedGate(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.gate = torch.jit.script(Gate(dim))
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        return self.head(self.gate(x))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = WithScriptedGate
