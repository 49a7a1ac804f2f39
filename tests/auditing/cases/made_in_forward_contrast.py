"""An augmentation draws random grey levels on the CPU and mixes them with the image.

Thread: https://github.com/balbasty/cornucopia/pull/22
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.rand("


class RandomContrast(nn.Module):
    def __init__(self, levels=5):
        super().__init__()
        self.levels = levels

    def forward(self, image):
        low, high = image.min(), image.max()
        edges = (
            low + (high - low) * torch.arange(self.levels + 1, device=image.device) / self.levels
        )
        level = torch.rand(self.levels) * (high - low) + low
        inside = (image.unsqueeze(-1) >= edges[:-1]) & (image.unsqueeze(-1) < edges[1:])
        return (inside * level).sum(dim=-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(4, 1, 6, 6),)


BUGGY = RandomContrast
FIXED = (
    """\
-        level = torch.rand(self.levels) * (high - low) + low
+        level = torch.rand(self.levels).to(image) * (high - low) + low
""",
)
