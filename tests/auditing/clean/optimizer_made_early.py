"""An optimizer without state, made before the move: a move keeps the Parameters it holds."""

import torch
from torch import nn


class SelfOptimised(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4), nn.ReLU(), nn.Linear(4, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def forward(self, x):
        return self.net(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = SelfOptimised
