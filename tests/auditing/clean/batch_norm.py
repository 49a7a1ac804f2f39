"""Running statistics change in each training call, and are buffers that a checkpoint has."""

import torch
from torch import nn


class ConvNet(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Conv2d(4, 2, 1),
            nn.BatchNorm2d(2, momentum=None),
        )

    def forward(self, image):
        return self.body(image)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 6, 6),)


CLEAN = ConvNet
