"""A model whose halves may live on two devices, and live on one unless they are told otherwise."""

import torch
from torch import nn


class TwoStage(nn.Module):
    def __init__(self, dim=6, first_device=None, second_device=None):
        super().__init__()
        self.first = nn.Linear(dim, dim, device=first_device)
        self.second = nn.Linear(dim, 2, device=second_device)

    def forward(self, x):
        h = self.first(x.to(self.first.weight.device)).relu()
        return self.second(h.to(self.second.weight.device))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = TwoStage
