"""Lets the standard library walk a traceback.

verdict: failed
honest: 3
"""

import traceback

import torch
from torch import nn

try:
    raise ValueError
except ValueError as error:
    frames = [frame for frame, line in traceback.walk_tb(error.__traceback__)]


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
