"""Running statistics are saved but the flag beside them is not: training on starts them anew.

Thread: https://github.com/cweniger/falcon/issues/115
"""

import torch
from torch import nn

CODE = "lost-from-checkpoint"
WHERE = "self.initialized"


class DiagonalWhitener(nn.Module):
    def __init__(self, dim=5, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(dim))
        self.register_buffer("running_std", torch.ones(dim))
        self.initialized = False

    @torch.no_grad()
    def update(self, x):
        momentum = self.momentum if self.initialized else 1.0
        self.running_mean.lerp_(x.mean(dim=0), momentum)
        self.running_std.lerp_(x.std(dim=0), momentum)
        self.initialized = True

    def forward(self, x):
        if self.training:
            self.update(x)
        return (x - self.running_mean) / self.running_std.clamp(min=1e-3)


def example_input() -> tuple[torch.Tensor, ...]:
    return (2 * torch.randn(8, 5) + torch.randn(5),)


BUGGY = DiagonalWhitener
FIXED = (
    """\
-        self.initialized = False
+        self.register_buffer("updates", torch.zeros((), dtype=torch.long))

-        momentum = self.momentum if self.initialized else 1.0
+        momentum = self.momentum if self.updates > 0 else 1.0

-        self.initialized = True
+        self.updates += 1
""",
)
