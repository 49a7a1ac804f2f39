"""A module without any Parameter or buffer: it takes everything from its input."""

import torch
from torch import nn


class SinusoidalTime(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.dim = dim

    def forward(self, time):
        half = torch.arange(self.dim // 2, device=time.device, dtype=time.dtype)
        angle = time.unsqueeze(-1) * torch.exp(-half)
        return torch.cat([angle.sin(), angle.cos()], dim=-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(4),)


CLEAN = SinusoidalTime
