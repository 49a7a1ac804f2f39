import torch
from torch import nn


class PatchEmbedding(nn.Module):
    def __init__(self, channels=3, patch=4, width=8):
        super().__init__()
        self.split = nn.Conv2d(channels, width, patch, stride=patch)
        self.token = nn.Parameter(torch.randn(1, 1, width)) * 0.02
        self.norm = nn.LayerNorm(width)

    def forward(self, image):
        patches = self.split(image).flatten(2).transpose(1, 2)
        patches = self.norm(patches)
        token = self.token.expand(len(image), -1, -1)
        return torch.cat([token, patches], dim=1)


def example_input():
    return (torch.randn(2, 3, 8, 8),)
