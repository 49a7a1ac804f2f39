"""The flag of a data-dependent initialisation is a buffer with persistent=False.

Thread: https://github.com/david-knigge/ccnn/issues/14
"""

import torch
from torch import nn

CODE = "lost-from-checkpoint"
WHERE = "self.initialized"
LINE_HAS = 'self.register_buffer("initialized"'


class ContinuousKernel(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.kernel = nn.Linear(dim, dim)
        self.register_buffer("initialized", torch.zeros(1, dtype=torch.bool), persistent=False)

    @torch.no_grad()
    def chang_initialization(self, x):
        self.kernel.weight.mul_(1 / self.kernel(x).std())
        self.initialized[0] = True

    def forward(self, x):
        if not self.initialized[0]:
            self.chang_initialization(x)
        return self.kernel(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(8, 5),)


BUGGY = ContinuousKernel
FIXED = (
    """\
-        self.register_buffer("initialized", torch.zeros(1, dtype=torch.bool), persistent=False)
+        self.register_buffer("initialized", torch.zeros(1, dtype=torch.bool))
""",
)
