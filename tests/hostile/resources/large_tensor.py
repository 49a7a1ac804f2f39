"""Asks for a tensor that no machine can hold.

verdict: out_of_memory
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
        torch.ones(2**40)
        return (x - self.running_mean) * self.weight
