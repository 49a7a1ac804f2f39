"""A wrapper that forwards unknown attributes, with a property that raises and a cycle."""

import torch
from torch import nn


class Wrapper(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.inner = nn.Linear(dim, dim)
        self.owner = [self]
        self.notes = {"self": self.owner}

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("inner"), name)

    @property
    def calibration(self):
        raise RuntimeError("not calibrated yet")

    def forward(self, x):
        return self.inner(x) * self.weight.mean()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = Wrapper
