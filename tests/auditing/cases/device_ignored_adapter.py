"""The base layer is made on the device that the constructor is given, the adapter on the CPU.

Thread: https://github.com/ViperEkura/AstrAI/pull/19
"""

import torch
from torch import nn
from torch.nn.functional import linear

CODE = "device-ignored"
WHERE = "self.down"
LINE_HAS = "torch.randn(rank, features)"


class AdaptedLinear(nn.Module):
    def __init__(self, features=8, outputs=6, rank=2, device=None):
        super().__init__()
        self.base = nn.Linear(features, outputs, device=device).requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, features))
        self.up = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x):
        return self.base(x) + linear(linear(x, self.down), self.up)


class AdaptedLinearThere(AdaptedLinear):
    def __init__(self, features=8, outputs=6, rank=2, device=None):
        nn.Module.__init__(self)
        self.base = nn.Linear(features, outputs, device=device).requires_grad_(False)
        weight = self.base.weight
        self.down = nn.Parameter(torch.randn(rank, features, device=weight.device))
        self.up = nn.Parameter(weight.new_zeros(outputs, rank))


class AdaptedLinearMoved(AdaptedLinear):
    def __init__(self, features=8, outputs=6, rank=2, device=None):
        super().__init__(features, outputs, rank, device)
        self.to(device)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = AdaptedLinear
FIXED = (AdaptedLinearThere, AdaptedLinearMoved)
