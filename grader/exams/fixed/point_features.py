import torch
from torch import nn


class PointFeatures(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.project = nn.LazyLinear(width)
        self.out = nn.Linear(width, 3)

    def forward(self, points):
        features = torch.relu(self.project(points))
        pooled = features.max(dim=1).values
        return self.out(pooled)


def example_input():
    return (torch.randn(2, 6, 3),)
