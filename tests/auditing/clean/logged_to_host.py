"""Values are copied to the host openly, for logging; the result does not depend on them."""

import torch
from torch import nn


class Monitored(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.net = nn.Linear(dim, 2)
        self.history = []

    def forward(self, x):
        y = self.net(x)
        self.history = [*self.history[-9:], y.detach().abs().mean().item()]
        self.last_output = y.detach().cpu().numpy()
        return y


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = Monitored
