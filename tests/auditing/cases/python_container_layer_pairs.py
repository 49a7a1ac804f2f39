"""Pairs of a layer and its activation are appended to a list of lists.

Thread: https://github.com/pytorch/pytorch/issues/715
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.hids"


class SentencePairNet(nn.Module):
    def __init__(self, dim=8, layers=2):
        super().__init__()
        self.hids = []
        for _ in range(layers):
            self.hids.append([nn.Linear(dim, dim), nn.Tanh()])
        self.classifier = nn.Linear(dim, 3)

    def forward(self, x):
        for linear, activation in self.hids:
            x = activation(linear(x))
        return self.classifier(x)


class SentencePairNetBlocks(nn.Module):
    def __init__(self, dim=8, layers=2):
        super().__init__()
        self.hids = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, dim), nn.Tanh()) for _ in range(layers)
        )
        self.classifier = nn.Linear(dim, 3)

    def forward(self, x):
        for block in self.hids:
            x = block(x)
        return self.classifier(x)


class SentencePairNetAddModule(nn.Module):
    """Registers each layer by name; the list beside it is a shortcut and does no harm."""

    def __init__(self, dim=8, layers=2):
        super().__init__()
        self.hids = []
        for index in range(layers):
            linear = nn.Linear(dim, dim)
            self.add_module(f"hidden{index}", linear)
            self.hids.append(f"hidden{index}")
        self.classifier = nn.Linear(dim, 3)

    def forward(self, x):
        for name in self.hids:
            x = getattr(self, name)(x).tanh()
        return self.classifier(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = SentencePairNet
FIXED = (SentencePairNetBlocks, SentencePairNetAddModule)
