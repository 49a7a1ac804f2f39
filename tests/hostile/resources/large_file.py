"""Writes a file of a hundred megabytes.

verdict: not_defined
honest: 0
"""

import torch
from torch import nn

with open("large", "wb") as file:
    for _ in range(100):
        file.write(b"x" * 1_000_000)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
