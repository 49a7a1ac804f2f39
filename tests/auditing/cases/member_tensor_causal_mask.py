"""A causal mask is kept as an ordinary attribute of the attention layer and stays on the CPU.

Thread: https://github.com/OpenNMT/OpenNMT-py/pull/240
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self.mask"
LINE_HAS = "torch.triu("


class CausalAttention(nn.Module):
    def __init__(self, dim=16, heads=2, max_len=12):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.mask = torch.triu(torch.ones(max_len, max_len, dtype=torch.bool), diagonal=1)

    def forward(self, x):
        batch, time, dim = x.shape
        qkv = self.qkv(x).view(batch, time, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(self.mask[:time, :time], float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, time, dim))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 10, 16),)


BUGGY = CausalAttention
FIXED = (
    """\
-        self.mask = torch.triu(torch.ones(max_len, max_len, dtype=torch.bool), diagonal=1)
+        mask = torch.triu(torch.ones(max_len, max_len, dtype=torch.bool), diagonal=1)
+        self.register_buffer("mask", mask, persistent=False)
""",
)
