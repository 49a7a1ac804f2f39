import torch
from torch import nn


class PointFeatures(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.width = width
        self.project = None
        self.out = nn.Linear(width, 3)

    def forward(self, points):
        if self.project is None:
            self.project = nn.Linear(points.shape[-1], self.width).to(points.device)
        features = torch.relu(self.project(points))
        pooled = features.max(dim=1).values
        return self.out(pooled)


def example_input():
    return (torch.randn(2, 6, 3),)
