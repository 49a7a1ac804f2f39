"""Exercise 09: an attention layer that remembers its mask.

`CausalAttention` lets each position of a sequence look at itself and at what came before. The mask
that hides the rest depends on the length alone, so it is made once and kept. All is well until the
layer is moved after its first call: to the GPU after a try on the CPU, or back again.

Your task: keep the idea, lose the bug. The layer has to work wherever it is moved, before and after
any call, and for sequences of any length. Its `state_dict()` holds the weight and the bias of
`qkv`, and nothing else, since the mask can always be made again.

Check it with:  grader check 09
"""

import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    """Self-attention with one head that never looks ahead."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(features, 3 * features)
        self.scale = 1 / math.sqrt(features)
        self.future: torch.Tensor | None = None

    def mask(self, x: torch.Tensor) -> torch.Tensor:
        """For each position, which ones come after it."""
        length = x.shape[1]
        if self.future is None or len(self.future) < length:
            every = torch.ones(length, length, dtype=torch.bool, device=x.device)
            self.future = every.triu(diagonal=1)
        return self.future[:length, :length]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, length, features)."""
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        scores = query @ key.transpose(1, 2) * self.scale
        scores = scores.masked_fill(self.mask(x), float("-inf"))
        return scores.softmax(dim=-1) @ value
