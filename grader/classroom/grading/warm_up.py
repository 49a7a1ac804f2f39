"""A module of ours to probe before any learner's, so that what is slow the first time is done."""

import torch
from torch import nn


class WarmUp(nn.Module):
    """Has what modules have: a Parameter, a buffer, a child, noise."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.randn_like(x) * 0.1
        return torch.relu(self.linear((x - self.mean) * self.scale + noise)).softmax(-1)
