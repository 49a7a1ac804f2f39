"""Prints a hundred megabytes.

verdict: output_limit
honest: 3
shown: 3
"""

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        for _ in range(100):
            print("x" * 1_000_000)
        return (x - self.running_mean) * self.weight
