"""Warns on every occasion.

verdict: passed
honest: 6
"""

import sys
import warnings

import torch
from torch import nn

warnings.warn("an old habit", stacklevel=1)
sys.stderr.write("something odd\n")
print("and more", file=sys.__stderr__)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
