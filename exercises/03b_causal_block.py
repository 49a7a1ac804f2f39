"""Exercise 03b: two tables of an attention block that stay behind.

`CausalBlock` lets each word of a sentence look at itself and at the words before it, with several
heads at once. How much a word counts for each head also depends on its distance, which is learned.
Two tables are computed from the constructor's arguments: `future` says which words come later, and
`distance` which row of `nearness` belongs to each pair of words. On CUDA the block raises.

Your task: let both tables move with the block. Nothing trains them, and there are checkpoints from
before, which hold the block's five Parameters and must still load: `state_dict()` stays as it is.

Check it with:  grader check 03b
"""

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
        self.future = places[:, None] < places
        self.distance = (places[:, None] - places).clamp(min=0)

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
