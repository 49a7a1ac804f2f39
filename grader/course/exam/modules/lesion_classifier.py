import torch
from torch import nn


class LesionClassifier(nn.Module):
    def __init__(self, features=8, counts=(700, 200, 100)):
        super().__init__()
        frequency = torch.tensor(counts, dtype=torch.float32)
        self.balance = frequency.sum() / (len(counts) * frequency)
        self.body = nn.Linear(features, 16)
        self.head = nn.Linear(16, len(counts))

    def forward(self, x, target):
        logits = self.head(torch.relu(self.body(x)))
        loss = nn.functional.cross_entropy(logits, target, weight=self.balance)
        return logits, loss


def example_input():
    return (torch.randn(4, 8), torch.tensor([0, 1, 2, 0]))
