"""One good answer to exercise 03b: tables that move, and that no checkpoint needs to hold."""

import torch
from torch import nn


class CausalBlock(nn.Module):
    """Attention with several heads that never looks ahead, added to its input."""

    def __init__(self, features: int, heads: int, longest: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(features, 3 * features)
        self.out = nn.Linear(features, features)
        self.nearness = nn.Embedding(longest, heads)
        places = torch.arange(longest)
        self.register_buffer("future", places[:, None] < places, persistent=False)
        distance = (places[:, None] - places).clamp(min=0)
        self.register_buffer("distance", distance, persistent=False)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, length, features)."""
        batch, length, features = words.shape
        split = self.qkv(words).view(batch, length, 3, self.heads, features // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        nearness = self.nearness(self.distance[:length, :length]).permute(2, 0, 1)
        scores = query @ key.transpose(-1, -2) + nearness
        scores = scores.masked_fill(self.future[:length, :length], float("-inf"))
        seen = scores.softmax(dim=-1) @ value
        return words + self.out(seen.transpose(1, 2).reshape(batch, length, features))
