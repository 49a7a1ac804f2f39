"""Rotary tables are cached by the first call and reused after the model has moved.

Thread: https://github.com/huggingface/transformers/pull/26448
"""

import torch
from torch import nn

CODE = "stale-device"
SEVERITY = "warning"
WHERE = "self.cos_cached"


def tables(length, inv_freq):
    angle = torch.outer(torch.arange(length, device=inv_freq.device).to(inv_freq), inv_freq)
    angle = torch.cat([angle, angle], dim=-1)
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class CachedRotary(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        inv_freq = 1e4 ** (-torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.seq_len_cached = 0
        self.cos_cached = self.sin_cached = None

    def forward(self, x):
        if x.shape[1] > self.seq_len_cached:
            self.seq_len_cached = x.shape[1]
            self.cos_cached, self.sin_cached = tables(x.shape[1], self.inv_freq)
        return rotate(x, self.cos_cached[: x.shape[1]], self.sin_cached[: x.shape[1]])


class RotaryUncached(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        inv_freq = 1e4 ** (-torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, x):
        return rotate(x, *tables(x.shape[1], self.inv_freq))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = CachedRotary
FIXED = (
    """\
-        self.seq_len_cached = 0

-        if x.shape[1] > self.seq_len_cached:
-            self.seq_len_cached = x.shape[1]
+        cached = self.cos_cached
+        if (
+            cached is None
+            or cached.shape[0] < x.shape[1]
+            or cached.device != x.device
+            or cached.dtype != self.inv_freq.dtype
+        ):
""",
    RotaryUncached,
)
