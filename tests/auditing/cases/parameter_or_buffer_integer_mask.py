"""An integer mask is wrapped in nn.Parameter, which the constructor refuses.

Thread: https://github.com/jiasenlu/NeuralBabyTalk/issues/26
"""

import torch
from torch import nn

CODE = "parameter-or-buffer"
LINE_HAS = "nn.Parameter("


class ForegroundPooling(nn.Module):
    def __init__(self, regions=6, dim=8):
        super().__init__()
        self.project = nn.Linear(dim, dim)
        self.foreground = nn.Parameter(torch.arange(regions) % 2)

    def forward(self, features):
        kept = self.project(features) * self.foreground[None, :, None]
        return kept.sum(dim=1) / self.foreground.sum()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = ForegroundPooling
FIXED = (
    """\
-        self.foreground = nn.Parameter(torch.arange(regions) % 2)
+        self.register_buffer("foreground", torch.arange(regions) % 2)
""",
)
