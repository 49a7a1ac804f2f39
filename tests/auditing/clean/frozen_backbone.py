"""A frozen backbone: Parameters without gradient that are meant to be unfrozen later."""

import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(dim, 8), nn.GELU(), nn.Linear(8, 8))
        self.backbone.requires_grad_(False)
        self.probe = nn.Linear(8, classes)

    def forward(self, x):
        return self.probe(self.backbone(x))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = Probe
