"""A hook zeroes the gradient of pruned weights by a mask that only its closure holds.

Thread: https://github.com/mtkresearch/FishLeg/issues/16
"""

import torch
from torch import nn

CODE = "opaque-holder"
LINE_HAS = "mask = torch.tril("


def get_zero_grad_hook(mask):
    def hook(grad):
        return grad * mask

    return hook


class PrunedLayer(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        mask = torch.tril(torch.ones(dim, dim))
        self.linear.weight.data.mul_(mask)
        self.linear.weight.register_hook(get_zero_grad_hook(mask))

    def forward(self, x):
        return self.linear(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = PrunedLayer
FIXED = (
    """\
-        mask = torch.tril(torch.ones(dim, dim))
-        self.linear.weight.data.mul_(mask)
-        self.linear.weight.register_hook(get_zero_grad_hook(mask))
+        self.register_buffer("mask", torch.tril(torch.ones(dim, dim)))
+        self.linear.weight.data.mul_(self.mask)
+        self.linear.weight.register_hook(lambda grad: grad * self.mask)
""",
    """\
-        mask = torch.tril(torch.ones(dim, dim))
-        self.linear.weight.data.mul_(mask)
-        self.linear.weight.register_hook(get_zero_grad_hook(mask))
+        self.linear.weight.register_hook(torch.tril)
""",
)
