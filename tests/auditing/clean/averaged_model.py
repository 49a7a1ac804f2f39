"""PyTorch's own AveragedModel beside the model that it averages."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel


class WithAverage(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 4), nn.Tanh(), nn.Linear(4, 2))
        self.average = AveragedModel(self.net).requires_grad_(False)

    def forward(self, x):
        if self.training:
            self.average.update_parameters(self.net)
            return self.net(x)
        return self.average(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = WithAverage
