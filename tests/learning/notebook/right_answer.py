"""A right answer to exercise 04, as a learner writes it in a cell."""

import torch
from torch import nn


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
