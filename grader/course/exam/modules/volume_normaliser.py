import numpy as np
import torch
from torch import nn


class VolumeNormaliser(nn.Module):
    def __init__(self, features=6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))
        self.out = nn.Linear(features, 3)

    def forward(self, x):
        loudest = np.percentile(x.numpy(), 95, axis=0)
        limit = torch.as_tensor(loudest, dtype=x.dtype, device=x.device)
        clipped = torch.minimum(x, limit)
        return self.out(clipped * self.gain)


def example_input():
    return (torch.randn(5, 6),)
