"""An activation overrides cuda() and cpu() to move its constant; a network never calls them.

Thread: https://github.com/pytorch/pytorch/issues/2641
"""

import torch
from torch import nn

CODE = "to-override"


class ERelu(nn.Module):
    def __init__(self, features=5):
        super().__init__()
        self.floor = -torch.linspace(0.1, 0.5, features)

    def cuda(self, device=None):
        self.floor = self.floor.cuda(device)
        return super().cuda(device)

    def cpu(self):
        self.floor = self.floor.cpu()
        return super().cpu()

    def to(self, *args, **kwargs):
        self.floor = self.floor.to(*args, **kwargs)
        return super().to(*args, **kwargs)

    def forward(self, x):
        return torch.maximum(x, self.floor)


class EReluBuffer(nn.Module):
    def __init__(self, features=5):
        super().__init__()
        self.register_buffer("floor", -torch.linspace(0.1, 0.5, features))

    def forward(self, x):
        return torch.maximum(x, self.floor)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5),)


BUGGY = ERelu
FIXED = (EReluBuffer,)
