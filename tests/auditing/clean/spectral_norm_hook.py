"""The older spectral norm: a hook sets the weight as a plain tensor anew before each call."""

import torch
from torch import nn
from torch.nn.utils import spectral_norm


class HookedCritic(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.hidden = spectral_norm(nn.Linear(dim, 8))
        self.score = nn.Linear(8, 1)

    def forward(self, x):
        return self.score(nn.functional.leaky_relu(self.hidden(x), 0.2))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = HookedCritic
