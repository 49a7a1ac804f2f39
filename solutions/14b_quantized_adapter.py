"""One good answer to exercise 14b: integers in a buffer, and Parameters wrapped on the device."""

import torch
from torch import nn
from torch.nn.functional import linear


class AdaptedLinear(nn.Module):
    """A frozen 8-bit layer, and a small trained one next to it."""

    def __init__(
        self, features: int, outputs: int, rank: int, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        codes = torch.ones(outputs, features, dtype=torch.int8, device=device)
        self.register_buffer("codes", codes)
        self.register_buffer("scale", torch.ones(outputs, 1, device=device))
        self.down = nn.Parameter(torch.randn(rank, features, device=device))
        self.up = nn.Parameter(torch.zeros(outputs, rank, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return (batch, outputs)."""
        weight = self.codes * self.scale
        return linear(x, weight) + linear(linear(x, self.down), self.up)
