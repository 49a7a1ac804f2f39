"""The sinusoidal position table, a constant, is a Parameter, and the optimizer changes it.

Thread: https://github.com/henry9zhr/QANet-pytorch/issues/3
"""

import torch
from torch import nn

CODE = "parameter-or-buffer"
SEVERITY = "warning"
WHERE = "self.encoding"
LINE_HAS = "nn.Parameter("


def sinusoids(length, dim):
    position = torch.arange(float(length)).unsqueeze(1)
    angle = position * torch.exp(torch.arange(0, dim, 2) * (-9.21 / dim))
    return torch.cat([angle.sin(), angle.cos()], dim=1)


class PositionalEncoder(nn.Module):
    def __init__(self, dim=8, max_len=20):
        super().__init__()
        self.encoding = nn.Parameter(sinusoids(max_len, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x + self.encoding[: x.shape[1]])


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = PositionalEncoder
FIXED = (
    """\
-        self.encoding = nn.Parameter(sinusoids(max_len, dim))
+        self.register_buffer("encoding", sinusoids(max_len, dim), persistent=False)
""",
)
