"""Never comes back from forward.

verdict: timeout
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
        while True:
            pass
        return (x - self.running_mean) * self.weight
