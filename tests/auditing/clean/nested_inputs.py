"""Inputs are a dict with a list and a tuple in it, and a flag."""

import torch
from torch import nn


class MultiView(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.encode = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, batch, normalise=True):
        views = [self.encode(view) for view in batch["views"]]
        pooled = torch.stack(views).mean(dim=0)
        if normalise:
            pooled = nn.functional.normalize(pooled, dim=-1)
        target, weight = batch["supervision"]
        return (weight * (self.head(pooled).squeeze(-1) - target).pow(2)).mean()


def example_input() -> tuple:
    views = [torch.randn(4, 6), torch.randn(4, 6), torch.randn(4, 6)]
    return ({"views": views, "supervision": (torch.randn(4), torch.rand(4))}, True)


CLEAN = MultiView
