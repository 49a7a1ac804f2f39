"""An orthogonal weight by parametrization."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import orthogonal


class Rotation(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.rotate = orthogonal(nn.Linear(dim, dim, bias=False))
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        return self.head(self.rotate(x))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5),)


CLEAN = Rotation
