"""Leaves in it how it tried itself out.

verdict: passed
honest: 6
"""

import torch
from torch import nn

from grader import check, ensure_cuda

ensure_cuda()


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight


check("04", CenterScale)
