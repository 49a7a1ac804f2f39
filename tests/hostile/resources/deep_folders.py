"""Makes two hundred folders, one in another.

verdict: failed
honest: 3
"""

import os

import torch
from torch import nn

for _ in range(200):
    os.mkdir("x")
    os.chdir("x")


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
