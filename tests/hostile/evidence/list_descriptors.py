"""Looks up which descriptors are open.

verdict: not_defined
honest: 3
"""

import os

import torch
from torch import nn

for name in os.listdir("/proc/self/fd"):
    print(name)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
