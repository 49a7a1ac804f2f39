"""The adapter is added after the model was moved, and stays on the CPU.

Thread: https://github.com/huggingface/diffusers/issues/5897
"""

import torch
from torch import nn

CODE = "device-ignored"
WHERE = "self.adapter.weight"
LINE_HAS = "self.adapter = "


class Encoder(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.layer = nn.Linear(dim, dim)
        self.adapter = None

    def add_adapter(self):
        self.adapter = nn.Linear(*self.layer.weight.shape, bias=False)

    def forward(self, x):
        hidden = self.layer(x)
        return hidden if self.adapter is None else hidden + self.adapter(x)


def adapted(device="cpu"):
    model = Encoder().to(device)
    model.add_adapter()
    return model


def adapted_first(device="cpu"):
    model = Encoder()
    model.add_adapter()
    return model.to(device)


def moved_again(device="cpu"):
    return adapted(device).to(device)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = adapted
FIXED = (adapted_first, moved_again)
