"""Asks for the frame by an operator.

verdict: failed
honest: 3
"""

import operator

import torch
from torch import nn

try:
    raise ValueError
except ValueError as error:
    frame = operator.attrgetter("tb_frame.f_back")(error.__traceback__)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
