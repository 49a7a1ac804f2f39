"""The frozen projection of random Fourier features is a Parameter without gradient.

Thread: https://github.com/jmclong/random-fourier-features-pytorch/pull/7
"""

import torch
from torch import nn

CODE = "parameter-or-buffer"
SEVERITY = "warning"
WHERE = "self.b"


class FourierFeatures(nn.Module):
    def __init__(self, inputs=2, features=6, sigma=1.0):
        super().__init__()
        self.b = nn.Parameter(torch.randn(features, inputs) * sigma, requires_grad=False)
        self.read = nn.Linear(2 * features, 1)

    def forward(self, position):
        phase = 2 * torch.pi * position @ self.b.t()
        return self.read(torch.cat([phase.cos(), phase.sin()], dim=-1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(8, 2),)


BUGGY = FourierFeatures
FIXED = (
    """\
-        self.b = nn.Parameter(torch.randn(features, inputs) * sigma, requires_grad=False)
+        self.register_buffer("b", torch.randn(features, inputs) * sigma)
""",
)
