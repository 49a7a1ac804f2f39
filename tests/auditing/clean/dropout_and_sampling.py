"""Random in training and in evaluation: a categorical choice by the Gumbel trick, and dropout."""

import torch
from torch import nn


class StochasticRouter(nn.Module):
    def __init__(self, dim=6, routes=3):
        super().__init__()
        self.route = nn.Linear(dim, routes)
        self.routes = nn.Parameter(torch.randn(routes, dim))
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        choice = nn.functional.gumbel_softmax(self.route(self.dropout(x)), hard=True)
        return x * (choice @ self.routes)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = StochasticRouter
