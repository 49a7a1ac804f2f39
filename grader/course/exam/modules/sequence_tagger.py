import torch
from torch import nn


class SequenceTagger(nn.Module):
    def __init__(self, vocabulary=20, width=6, tags=3):
        super().__init__()
        self.width = width
        self.embed = nn.Embedding(vocabulary, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.tag = nn.Linear(width, tags)

    def first_state(self, batch):
        return torch.zeros(1, batch, self.width)

    def forward(self, tokens):
        state = self.first_state(len(tokens))
        embedded = self.embed(tokens)
        hidden, _ = self.gru(embedded, state)
        return self.tag(hidden)


def example_input():
    return (torch.randint(0, 20, (2, 5)),)
