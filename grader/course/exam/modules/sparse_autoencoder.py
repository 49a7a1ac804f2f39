import torch
from torch import nn


class SparseAutoencoder(nn.Module):
    def __init__(self, width=8, atoms=16, seed=0):
        super().__init__()
        self.encode = nn.Linear(width, atoms)
        self.decode = nn.Linear(atoms, width, bias=False)
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x):
        draws = torch.rand(x.shape, generator=self.generator, device=x.device)
        corrupted = x * (draws > 0.2)
        code = torch.relu(self.encode(corrupted))
        return self.decode(code), code


def example_input():
    return (torch.randn(4, 8),)
