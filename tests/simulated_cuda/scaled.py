"""A module whose Parameters are of a class of its own."""

import torch
from torch import nn


class Scaled(nn.Parameter):
    """A Parameter that knows its learning rate."""

    def rate(self):
        return getattr(self, "scale", 1.0) * 0.1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Scaled(torch.ones(3))
        self.frozen = Scaled(torch.ones(3), requires_grad=False)
        self.weight.scale = 2.0

    def forward(self, x):
        return x * self.weight * self.frozen
