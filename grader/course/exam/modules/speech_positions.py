import torch
from torch import nn


class SpeechPositions(nn.Module):
    def __init__(self, width=8, longest=32):
        super().__init__()
        rate = torch.exp(torch.arange(0, width, 2) * (-4.0 / width))
        angle = torch.arange(longest).unsqueeze(1) * rate
        table = torch.cat([angle.sin(), angle.cos()], dim=-1)
        self.register_buffer("positions", table, persistent=False)
        self.table = table
        self.mix = nn.Linear(width, width)

    def forward(self, frames):
        length = frames.shape[1]
        return self.mix(frames + self.table[:length])


def example_input():
    return (torch.randn(2, 6, 8),)
