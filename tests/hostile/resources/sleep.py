"""Sleeps past its time.

verdict: timeout
honest: 3
shown: 3
seconds: 4
"""

import time

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        time.sleep(3600)
        return (x - self.running_mean) * self.weight
