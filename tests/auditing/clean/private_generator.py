"""A private generator for each device, so that noise does not disturb the global random state."""

import torch
from torch import nn


class PrivateNoise(nn.Module):
    def __init__(self, dim=6, scale=0.1, seed=3):
        super().__init__()
        self.scale, self.seed = scale, seed
        self.net = nn.Linear(dim, dim)
        self.generators = {}

    def generator(self, device):
        if device not in self.generators:
            self.generators[device] = torch.Generator(device=device).manual_seed(self.seed)
        return self.generators[device]

    def forward(self, x):
        if self.training:
            noise = torch.empty_like(x).normal_(generator=self.generator(x.device))
            x = x + self.scale * noise
        return self.net(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = PrivateNoise
