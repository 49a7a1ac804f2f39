"""A penalty over self.parameters() is computed in forward, and is zero in every replica.

Thread: https://github.com/pytorch/pytorch/issues/38493
"""

import torch
from torch import nn

CODE = "replica"
SEVERITY = "warning"
LINE_HAS = "self.parameters()"


class PenalisedModel(nn.Module):
    def __init__(self, dim=6, strength=0.01):
        super().__init__()
        self.strength = strength
        self.hidden = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        penalty = sum(p.pow(2).sum() for p in self.parameters())
        return self.head(self.hidden(x).relu()), self.strength * penalty


class PenalisedModelOutside(nn.Module):
    """Leaves the penalty to the training loop, which has the whole model."""

    def __init__(self, dim=6, strength=0.01):
        super().__init__()
        self.strength = strength
        self.hidden = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def penalty(self):
        return self.strength * sum(p.pow(2).sum() for p in self.parameters())

    def forward(self, x):
        return self.head(self.hidden(x).relu())


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = PenalisedModel
FIXED = (
    """\
-        penalty = sum(p.pow(2).sum() for p in self.parameters())
+        weights = (self.hidden.weight, self.hidden.bias, self.head.weight, self.head.bias)
+        penalty = sum(weight.pow(2).sum() for weight in weights)
""",
    PenalisedModelOutside,
)
