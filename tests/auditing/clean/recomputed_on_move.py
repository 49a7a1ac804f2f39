"""A cached table that is made again when the length, the device or the dtype changes."""

import torch
from torch import nn


class DistanceBias(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(0.5))
        self.project = nn.Linear(dim, dim)
        self._distance = torch.empty(0)

    def distance(self, x):
        cached = self._distance
        length = x.shape[1]
        if cached.shape[:1] != (length,) or cached.device != x.device or cached.dtype != x.dtype:
            position = torch.arange(length, device=x.device, dtype=x.dtype)
            self._distance = (position[:, None] - position[None, :]).abs()
        return self._distance

    def forward(self, x):
        h = self.project(x)
        scores = h @ h.transpose(1, 2) - self.slope * self.distance(x)
        return scores.softmax(dim=-1) @ h


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


CLEAN = DistanceBias
