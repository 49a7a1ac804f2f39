"""Uses a thread, and waits for it.

verdict: passed
honest: 6
"""

import concurrent.futures

import torch
from torch import nn

with concurrent.futures.ThreadPoolExecutor() as pool:
    print(pool.submit(sum, [1, 2]).result())


class CenterScale(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight
