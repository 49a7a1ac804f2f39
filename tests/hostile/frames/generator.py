"""Finds the frames from inside a generator.

verdict: failed
honest: 3
"""

import torch
from torch import nn

def walk():
    yield walker.gi_frame.f_back.f_back


walker = walk()
frame = next(walker)


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
