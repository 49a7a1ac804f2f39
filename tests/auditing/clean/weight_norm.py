"""Weight normalisation by parametrization: the weight is computed from two Parameters on use."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class WeightNormed(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.first = weight_norm(nn.Conv1d(channels, 4, 3, padding=1))
        self.second = weight_norm(nn.Conv1d(4, channels, 3, padding=1))

    def forward(self, x):
        return x + self.second(self.first(x).relu())


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 8),)


CLEAN = WeightNormed
