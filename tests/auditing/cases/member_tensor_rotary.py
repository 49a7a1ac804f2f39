"""The cosine and sine tables of a rotary embedding are plain attributes of the attention layer.

Thread: https://github.com/huggingface/transformers/pull/22234
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self.cos_cached"


def rotary_tables(dim, max_len, base=10000.0):
    frequency = base ** (-torch.arange(0, dim, 2).float() / dim)
    angle = torch.outer(torch.arange(max_len).float(), frequency)
    angle = torch.cat([angle, angle], dim=-1)
    return angle.cos(), angle.sin()


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


class RotaryQuery(nn.Module):
    def __init__(self, dim=8, max_len=32):
        super().__init__()
        self.project = nn.Linear(dim, dim)
        self.cos_cached, self.sin_cached = rotary_tables(dim, max_len)

    def forward(self, x):
        query = self.project(x)
        cos, sin = self.cos_cached[: x.shape[1]], self.sin_cached[: x.shape[1]]
        return query * cos + rotate_half(query) * sin


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = RotaryQuery
FIXED = (
    """\
-        self.cos_cached, self.sin_cached = rotary_tables(dim, max_len)
+        cos, sin = rotary_tables(dim, max_len)
+        self.register_buffer("cos_cached", cos, persistent=False)
+        self.register_buffer("sin_cached", sin, persistent=False)
""",
    # Correct, and slower: the tables are copied to the device in each call.
    """\
-        cos, sin = self.cos_cached[: x.shape[1]], self.sin_cached[: x.shape[1]]
+        cos = self.cos_cached[: x.shape[1]].to(query)
+        sin = self.sin_cached[: x.shape[1]].to(query)
""",
)
