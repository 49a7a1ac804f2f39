"""A decoder shares the transposed weight of the encoder through a Parameter of its own.

Thread: https://github.com/pytorch/xla/issues/2719
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "tied-weights"
WHERE = "self.decoder_weight"
LINE_HAS = "nn.Parameter(self.encoder.weight.t())"


class TiedAutoencoder(nn.Module):
    def __init__(self, dim=8, code=3):
        super().__init__()
        self.encoder = nn.Linear(dim, code)
        self.decoder_weight = nn.Parameter(self.encoder.weight.t())
        self.decoder_bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return functional.linear(self.encoder(x).tanh(), self.decoder_weight, self.decoder_bias)


class TiedAutoencoderOneWeight(nn.Module):
    def __init__(self, dim=8, code=3):
        super().__init__()
        self.encoder = nn.Linear(dim, code)
        self.decoder_bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return functional.linear(self.encoder(x).tanh(), self.encoder.weight.t(), self.decoder_bias)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = TiedAutoencoder
FIXED = (TiedAutoencoderOneWeight,)
