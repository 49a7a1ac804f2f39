"""Calls itself a file of Python's, and asks for a frame then.

verdict: not_defined
honest: 3
"""

import os

import torch
from torch import nn

exec(compile("import sys; frame = sys._getframe(1)", os.__file__, "exec"))


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
