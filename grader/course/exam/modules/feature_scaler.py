import torch
from torch import nn


class FeatureScaler(nn.Module):
    def __init__(self, features=6, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(features), persistent=False)
        self.head = nn.Linear(features, 2)

    @torch.no_grad()
    def update(self, x):
        self.mean.lerp_(x.mean(dim=0), self.momentum)

    def forward(self, x):
        if self.training:
            self.update(x)
        return self.head(x - self.mean)


def example_input():
    return (torch.randn(8, 6) + 2,)
