"""A streaming convolution remembers the end of the last chunk; that memory is not worth saving."""

import torch
from torch import nn


class StreamingConv(nn.Module):
    def __init__(self, channels=3, kernel=4):
        super().__init__()
        self.kernel = kernel
        self.conv = nn.Conv1d(channels, channels, kernel)
        self.register_buffer("context", torch.zeros(1, channels, kernel - 1), persistent=False)

    def forward(self, chunk):
        context = self.context
        if context.shape[0] != chunk.shape[0]:
            context = chunk.new_zeros(chunk.shape[0], chunk.shape[1], self.kernel - 1)
        extended = torch.cat([context.to(chunk), chunk], dim=-1)
        self.context = extended[..., -(self.kernel - 1) :].detach().clone()
        return self.conv(extended)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 8),)


CLEAN = StreamingConv
