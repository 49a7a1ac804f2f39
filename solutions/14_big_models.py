"""One good answer to exercise 14: what no checkpoint brings is computed where memory is reset."""

import torch
from torch import nn


class RotaryAttention(nn.Module):
    """Attention with one head, where queries and keys are turned by the angle of their place."""

    def __init__(self, features: int, longest: int) -> None:
        super().__init__()
        self.query_key = nn.Linear(features, 2 * features, bias=False)
        self.value = nn.Linear(features, features, bias=False)
        self.gain = nn.Parameter(torch.empty(features))
        self.register_buffer("cos", torch.empty(longest, features // 2), persistent=False)
        self.register_buffer("sin", torch.empty(longest, features // 2), persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Write the first values of the layer, wherever its memory is now."""
        nn.init.ones_(self.gain)
        features, device = len(self.gain), self.cos.device
        frequencies = 10_000 ** (-torch.arange(0, features, 2, device=device) / features)
        angles = torch.outer(torch.arange(len(self.cos), device=device), frequencies)
        self.cos.copy_(angles.cos())
        self.sin.copy_(angles.sin())

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        """Turn each pair of features by the angle of its place."""
        even, odd = x[..., 0::2], x[..., 1::2]
        cos, sin = self.cos[: x.shape[1]], self.sin[: x.shape[1]]
        return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, length, features)."""
        query, key = self.query_key(x).chunk(2, dim=-1)
        scores = self.turned(query) @ self.turned(key).transpose(1, 2)
        return self.gain * (scores.softmax(dim=-1) @ self.value(x))
