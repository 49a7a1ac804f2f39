"""Finds the frames in a traceback.

verdict: failed
honest: 3
"""

import torch
from torch import nn

try:
    raise ValueError
except ValueError as error:
    frame = error.__traceback__.tb_frame
    while frame.f_back:
        frame = frame.f_back


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
