"""A partial that binds numbers and no tensors."""

from functools import partial

import torch
from torch import nn


class ConfigurableMLP(nn.Module):
    def __init__(self, dim=6, activation=None, norm=None):
        super().__init__()
        self.activation = activation or partial(nn.functional.leaky_relu, negative_slope=0.1)
        self.make_norm = norm or partial(nn.LayerNorm, eps=1e-6)
        self.hidden = nn.Linear(dim, dim)
        self.norm = self.make_norm(dim)

    def forward(self, x):
        return self.norm(self.activation(self.hidden(x)))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = ConfigurableMLP
