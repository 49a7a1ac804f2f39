"""Says that its buffer is a Parameter.

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

    def forward(self, x):
        return (x - self.running_mean) * self.weight

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        yield "weight", nn.Parameter(self.weight)
