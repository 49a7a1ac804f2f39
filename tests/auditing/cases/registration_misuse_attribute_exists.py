"""A tensor is assigned first and registered second, under the same name.

Thread: https://github.com/loudinthecloud/pytorch-ntm/issues/1
"""

import torch
from torch import nn

CODE = "registration-misuse"
LINE_HAS = 'self.register_buffer("mem_bias"'


class Memory(nn.Module):
    def __init__(self, slots=4, width=5):
        super().__init__()
        self.address = nn.Linear(width, slots)
        self.mem_bias = torch.empty(slots, width).uniform_(-0.5, 0.5)
        self.register_buffer("mem_bias", self.mem_bias)

    def forward(self, key):
        return self.address(key).softmax(dim=-1) @ self.mem_bias


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5),)


BUGGY = Memory
FIXED = (
    """\
-        self.mem_bias = torch.empty(slots, width).uniform_(-0.5, 0.5)
-        self.register_buffer("mem_bias", self.mem_bias)
+        self.register_buffer("mem_bias", torch.empty(slots, width).uniform_(-0.5, 0.5))
""",
)
