import torch
from torch import nn


class SpectrumWhitener(nn.Module):
    def __init__(self, bins=5):
        super().__init__()
        self.register_buffer("mean", torch.zeros(bins))
        self.register_buffer("spread", torch.ones(bins))
        self.started = False
        self.out = nn.Linear(bins, bins)

    @torch.no_grad()
    def update(self, x):
        rate = 0.1 if self.started else 1.0
        self.mean.lerp_(x.mean(dim=0), rate)
        self.spread.lerp_(x.std(dim=0), rate)
        self.started = True

    def forward(self, x):
        if self.training:
            self.update(x)
        return self.out((x - self.mean) / self.spread.clamp(min=1e-3))


def example_input():
    return (2 * torch.randn(8, 5) + 1,)
