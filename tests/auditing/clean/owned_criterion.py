"""A model that owns its weighted losses, and so moves and saves them."""

import torch
from torch import nn


class Trained(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.net = nn.Linear(dim, classes)
        self.criterion = nn.CrossEntropyLoss(weight=torch.linspace(0.5, 1.5, classes))
        self.auxiliary = nn.BCEWithLogitsLoss(pos_weight=torch.full((classes,), 2.0))

    def forward(self, x, target):
        logits = self.net(x)
        one_hot = nn.functional.one_hot(target, logits.shape[-1]).to(logits)
        return self.criterion(logits, target) + 0.1 * self.auxiliary(logits, one_hot)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randint(0, 3, (4,)))


CLEAN = Trained
