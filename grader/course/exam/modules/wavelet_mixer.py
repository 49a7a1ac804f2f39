import torch
from torch import nn


class WaveletMixer(nn.Module):
    def __init__(self, width=8, bands=3):
        super().__init__()
        self.split = nn.Linear(width, bands * width)
        self.gains = [nn.Parameter(torch.ones(width)) for _ in range(bands)]
        self.out = nn.Linear(width, width)

    def forward(self, signal):
        bands = self.split(signal).chunk(len(self.gains), dim=-1)
        mixed = torch.zeros_like(signal)
        for gain, band in zip(self.gains, bands):
            mixed = mixed + gain.to(signal.device) * torch.tanh(band)
        return self.out(mixed)


def example_input():
    return (torch.randn(4, 8),)
