"""Lists of Parameters for an optimizer, each of them registered where it belongs."""

import torch
from torch import nn


class GroupedModel(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.LayerNorm(dim), nn.Linear(dim, 2))
        self.decayed = [p for p in self.body.parameters() if p.dim() > 1]
        self.not_decayed = [p for p in self.body.parameters() if p.dim() <= 1]

    def parameter_groups(self):
        return [
            {"params": self.decayed, "weight_decay": 0.01},
            {"params": self.not_decayed, "weight_decay": 0.0},
        ]

    def forward(self, x):
        return self.body(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = GroupedModel
