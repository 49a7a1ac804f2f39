"""Is given the probe's frame by a timer's signal.

verdict: timeout
honest: 3
"""

import signal

import torch
from torch import nn

def handle(number, frame):
    while frame.f_back:
        frame = frame.f_back


signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.05)
while True:
    pass


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
