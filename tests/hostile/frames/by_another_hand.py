"""Has a library ask for the frame.

verdict: failed
honest: 3
"""

import contextlib
import sys

import torch
from torch import nn

with contextlib.ExitStack() as stack:
    stack.callback(sys._getframe)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
