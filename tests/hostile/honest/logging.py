"""Logs, prints its stack and a caught exception's traceback.

verdict: passed
honest: 6
"""

import logging
import traceback

import torch
from torch import nn

logging.basicConfig(level=logging.INFO)
logging.info("made")
traceback.print_stack()
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
