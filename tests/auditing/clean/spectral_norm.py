"""Spectral normalisation by parametrization, whose power iteration changes buffers in training."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


class SpectralCritic(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.hidden = spectral_norm(nn.Linear(dim, 8))
        self.score = spectral_norm(nn.Linear(8, 1))

    def forward(self, x):
        return self.score(nn.functional.leaky_relu(self.hidden(x), 0.2))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = SpectralCritic
