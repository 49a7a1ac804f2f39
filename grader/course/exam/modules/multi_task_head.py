import torch
from torch import nn


class MultiTaskHead(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, width), nn.GELU())
        self.heads = {
            "age": nn.Linear(width, 1),
            "sex": nn.Linear(width, 2),
        }

    def forward(self, x):
        shared = self.trunk(x)
        age = self.heads["age"](shared)
        sex = self.heads["sex"](shared)
        return torch.cat([age, sex], dim=-1)


def example_input():
    return (torch.randn(4, 8),)
