"""Stops to look at a tensor, as one does on the way to an answer.

verdict: failed
honest: 4
"""

import torch
from torch import nn


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        breakpoint()
        return (x - self.running_mean) * self.weight
