"""Exercise 14: an attention layer that comes back from the meta device with garbage.

`RotaryAttention` tells each word its place by turning queries and keys by an angle. Its two tables
of angles are buffers that no checkpoint holds, and it works on every device. Then it becomes part
of a model that is too large to build twice. Such a model is built on the meta device, without
memory. `to_empty(device="cuda")` allocates it, `reset_parameters()` writes the first values of
every module, and a checkpoint loads the trained ones. After that, attention is NaN or noise.

Your task: make it right after these steps as well. It still works when it is built and moved in the
usual way, and `state_dict()` stays as it is.

Check it with:  grader check 14
"""

import torch
from torch import nn


class RotaryAttention(nn.Module):
    """Attention with one head, where queries and keys are turned by the angle of their place."""

    def __init__(self, features: int, longest: int) -> None:
        super().__init__()
        self.query_key = nn.Linear(features, 2 * features, bias=False)
        self.value = nn.Linear(features, features, bias=False)
        self.gain = nn.Parameter(torch.empty(features))
        frequencies = 10_000 ** (-torch.arange(0, features, 2) / features)
        angles = torch.outer(torch.arange(longest), frequencies)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Write the first values of the layer, wherever its memory is now."""
        nn.init.ones_(self.gain)

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
