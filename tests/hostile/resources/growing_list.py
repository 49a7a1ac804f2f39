"""Takes more and more memory.

verdict: out_of_memory
honest: 0
"""

import torch
from torch import nn

kept = []
while True:
    kept.append(bytearray(2**26))


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
