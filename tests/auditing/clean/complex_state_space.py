"""A state space layer with a complex buffer and a complex Parameter."""

import torch
from torch import nn


class DiagonalStateSpace(nn.Module):
    def __init__(self, states=4):
        super().__init__()
        frequency = torch.arange(states) * torch.pi
        self.register_buffer("poles", torch.complex(torch.full((states,), -0.5), frequency))
        self.mixing = nn.Parameter(torch.randn(states, dtype=torch.cfloat))

    def forward(self, signal):
        time = torch.arange(signal.shape[-1], device=signal.device, dtype=signal.dtype)
        kernel = (self.mixing[:, None] * torch.exp(self.poles[:, None] * time)).real.sum(dim=0)
        spectrum = torch.fft.rfft(signal, 2 * len(time)) * torch.fft.rfft(kernel, 2 * len(time))
        return torch.fft.irfft(spectrum, 2 * len(time))[..., : len(time)]


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


CLEAN = DiagonalStateSpace
