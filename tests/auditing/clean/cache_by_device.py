"""A cache of masks whose key has the device in it."""

from functools import lru_cache

import torch
from torch import nn


@lru_cache(maxsize=32)
def causal_mask(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(1)


class CausalMixer(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.mix = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.mix(x)
        scores = h @ h.transpose(1, 2)
        mask = causal_mask(x.shape[1], x.device)
        return scores.masked_fill(mask, float("-inf")).softmax(dim=-1) @ h


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


CLEAN = CausalMixer
