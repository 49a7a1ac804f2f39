"""A pruned layer: the weight is a plain tensor that a hook computes from a Parameter and a mask."""

import torch
from torch import nn
from torch.nn.utils import prune


class PrunedHead(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.hidden = nn.Linear(dim, 8)
        self.head = nn.Linear(8, classes)
        prune.l1_unstructured(self.hidden, "weight", amount=0.5)

    def forward(self, x):
        return self.head(self.hidden(x).relu())


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = PrunedHead
