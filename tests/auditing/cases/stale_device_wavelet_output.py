"""The output is sent to the device that was named at construction, so it comes back on the CPU.

Thread: https://github.com/spdlearn/spd_learn/pull/16
"""

import torch
from torch import nn

CODE = "stale-device"
WHERE = "self.device"
LINE_HAS = ".to(self.device)"


class WaveletConv(nn.Module):
    def __init__(self, filters=3, size=9, device=None):
        super().__init__()
        self.device = torch.device(device or "cpu")
        self.frequency = nn.Parameter(torch.linspace(0.5, 2.0, filters))
        self.register_buffer("time", torch.linspace(-1, 1, size))

    def forward(self, signal):
        wave = torch.cos(6.28 * self.frequency[:, None] * self.time) * torch.exp(-(self.time**2))
        filtered = nn.functional.conv1d(signal.unsqueeze(1), wave.unsqueeze(1), padding="same")
        return filtered.to(self.device)


class WaveletConvStays(nn.Module):
    def __init__(self, filters=3, size=9):
        super().__init__()
        self.frequency = nn.Parameter(torch.linspace(0.5, 2.0, filters))
        self.register_buffer("time", torch.linspace(-1, 1, size))

    def forward(self, signal):
        wave = torch.cos(6.28 * self.frequency[:, None] * self.time) * torch.exp(-(self.time**2))
        return nn.functional.conv1d(signal.unsqueeze(1), wave.unsqueeze(1), padding="same")


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 20),)


BUGGY = WaveletConv
FIXED = (WaveletConvStays,)
