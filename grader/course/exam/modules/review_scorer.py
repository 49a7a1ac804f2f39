import torch
from torch import nn


class ReviewScorer(nn.Module):
    def __init__(self, vocabulary=30, width=6):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.score = nn.Linear(width, 5)

    def forward(self, tokens):
        features = self.embed(tokens).mean(dim=1)
        stars = self.score(features).softmax(dim=-1)
        values = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
        expected = (stars * values).sum(dim=-1)
        return expected, stars


def example_input():
    return (torch.randint(0, 30, (3, 7)),)
