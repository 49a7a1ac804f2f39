"""The position limits of a convolution with learned spacings are not registered.

Thread: https://github.com/K-H-Ismail/Dilated-Convolution-with-Learnable-Spacings-PyTorch/pull/8
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "member-tensor"
WHERE = "self.lim"


class SpacedConv(nn.Module):
    def __init__(self, channels=3, points=3, size=7):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, channels, points) * 0.1)
        self.position = nn.Parameter(torch.rand(points) - 0.5)
        self.lim = torch.tensor([float(size)])
        self.grid = torch.arange(float(size))

    def forward(self, signal):
        centre = self.position + self.lim // 2
        bump = torch.exp(-((self.grid[None, :] - centre[:, None]) ** 2))
        return functional.conv1d(signal, self.weight @ bump, padding="same")


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 12),)


BUGGY = SpacedConv
FIXED = (
    """\
-        self.lim = torch.tensor([float(size)])
-        self.grid = torch.arange(float(size))
+        self.register_buffer("lim", torch.tensor([float(size)]))
+        self.register_buffer("grid", torch.arange(float(size)))
""",
)
