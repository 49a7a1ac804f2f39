"""A module with nothing to find, and an input for it."""

import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x)


def batch() -> torch.Tensor:
    return torch.randn(6, 4)
