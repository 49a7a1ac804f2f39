"""Lazy layers learn their input sizes from the first batch, which PyTorch supports."""

import torch
from torch import nn


class LazyClassifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.LazyConv1d(4, 3, padding=1)
        self.norm = nn.LazyBatchNorm1d()
        self.head = nn.LazyLinear(classes)

    def forward(self, x):
        return self.head(self.norm(self.conv(x)).relu().flatten(1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 2, 6),)


CLEAN = LazyClassifier
