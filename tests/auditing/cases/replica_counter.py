"""A call counter kept on self stays at zero, since every replica counts for itself and is dropped.

Thread: https://github.com/pytorch/pytorch/issues/2864
"""

import torch
from torch import nn

CODE = "replica"
SEVERITY = "warning"
WHERE = "self.counter"
LINE_HAS = "self.counter += 1"


class CountingEncoder(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.encode = nn.Linear(dim, dim)
        self.counter = 0

    def forward(self, x):
        self.counter += 1
        return self.encode(x).tanh()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = CountingEncoder
FIXED = (
    """\
-        self.counter = 0
+        self.register_buffer("counter", torch.zeros((), dtype=torch.long))
""",
)
