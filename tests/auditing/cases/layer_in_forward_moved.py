"""Layers built in forward are moved to the input, so nothing raises; they are never trained.

Thread: https://github.com/pytorch/pytorch/issues/1291
"""

import torch
from torch import nn

CODE = "layer-in-forward"
LINE_HAS = "nn.Linear(self.inputs, self.hidden)"


class ThreeLayerNet(nn.Module):
    def __init__(self, inputs=6, hidden=8, outputs=3):
        super().__init__()
        self.inputs, self.hidden = inputs, hidden
        self.last = nn.Linear(hidden, outputs)

    def forward(self, x):
        h = nn.Linear(self.inputs, self.hidden).to(x)(x).clamp(min=0)
        h = nn.Linear(self.hidden, self.hidden).to(x)(h).clamp(min=0)
        return self.last(h)


class ThreeLayerNetRegistered(nn.Module):
    def __init__(self, inputs=6, hidden=8, outputs=3):
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.last = nn.Linear(hidden, outputs)

    def forward(self, x):
        return self.last(self.second(self.first(x).clamp(min=0)).clamp(min=0))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = ThreeLayerNet
FIXED = (ThreeLayerNetRegistered,)
