import torch
from torch import nn


class SparseAutoencoder(nn.Module):
    def __init__(self, width=8, atoms=16, dropped=0.2):
        super().__init__()
        self.encode = nn.Linear(width, atoms)
        self.decode = nn.Linear(atoms, width, bias=False)
        self.dropped = dropped

    def forward(self, x):
        draws = torch.rand_like(x)
        corrupted = x * (draws > self.dropped)
        code = torch.relu(self.encode(corrupted))
        return self.decode(code), code


def example_input():
    return (torch.randn(4, 8),)
