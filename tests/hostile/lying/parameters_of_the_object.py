"""The same, by a function that the object itself holds.

verdict: failed
honest: 3
"""

import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

        self.parameters = lambda recurse=True: iter([nn.Parameter(self.weight)])

    def forward(self, x):
        return (x - self.running_mean) * self.weight
