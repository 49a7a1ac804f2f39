"""self.device is remembered at construction; after a move it names a device the model has left.

Thread: https://github.com/sooftware/conformer/issues/27
"""

import torch
from torch import nn

CODE = "stale-device"
WHERE = "self.device"


class FeedForward(nn.Module):
    def __init__(self, dim=8, expansion=2, device="cpu"):
        super().__init__()
        self.device = device
        self.up = nn.Linear(dim, dim * expansion)
        self.down = nn.Linear(dim * expansion, dim)

    def forward(self, x):
        hidden = torch.nn.functional.silu(self.up(x.to(self.device)))
        return x + self.down(hidden)


class FeedForwardNoDevice(nn.Module):
    def __init__(self, dim=8, expansion=2):
        super().__init__()
        self.up = nn.Linear(dim, dim * expansion)
        self.down = nn.Linear(dim * expansion, dim)

    def forward(self, x):
        return x + self.down(torch.nn.functional.silu(self.up(x)))


class FeedForwardProperty(nn.Module):
    def __init__(self, dim=8, expansion=2):
        super().__init__()
        self.up = nn.Linear(dim, dim * expansion)
        self.down = nn.Linear(dim * expansion, dim)

    @property
    def device(self):
        return self.up.weight.device

    def forward(self, x):
        x = x.to(self.device)
        return x + self.down(torch.nn.functional.silu(self.up(x)))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8),)


BUGGY = FeedForward
FIXED = (FeedForwardNoDevice, FeedForwardProperty)
