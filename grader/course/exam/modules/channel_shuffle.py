import torch
from torch import nn


class ChannelShuffle(nn.Module):
    def __init__(self, channels=6):
        super().__init__()
        self.order = torch.tensor([0, 3, 1, 4, 2, 5])
        self.left = nn.Conv2d(channels // 2, channels // 2, 1)
        self.right = nn.Conv2d(channels // 2, channels // 2, 1)

    def forward(self, image):
        left, right = image.chunk(2, dim=1)
        joined = torch.cat([self.left(left), self.right(right)], dim=1)
        return joined[:, self.order]


def example_input():
    return (torch.randn(2, 6, 4, 4),)
