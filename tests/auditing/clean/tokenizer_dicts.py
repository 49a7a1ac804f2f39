"""A model that carries its vocabulary: large dicts of strings and numbers, no tensors in them."""

import torch
from torch import nn


class TokenClassifier(nn.Module):
    def __init__(self, words=200_000, buckets=50, dim=4):
        super().__init__()
        self.index_of = {f"word{i}": i for i in range(words)}
        self.word_of = {index: word for word, index in self.index_of.items()}
        self.merges = [(i, i + 1) for i in range(1000)]
        self.buckets = buckets
        self.embed = nn.Embedding(buckets, dim)

    def forward(self, ids):
        return self.embed(ids % self.buckets)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 200_000, (4, 5)),)


CLEAN = TokenClassifier
