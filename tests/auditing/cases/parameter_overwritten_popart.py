"""A statistic that is a Parameter is overwritten by a plain tensor, which PyTorch refuses.

Thread: https://github.com/marlbenchmark/on-policy/issues/19
"""

import torch
from torch import nn

CODE = "parameter-overwritten"
LINE_HAS = "self.stddev = self.stddev.lerp("


class PopArt(nn.Module):
    def __init__(self, dim=6, outputs=2, beta=0.9):
        super().__init__()
        self.beta = beta
        self.value = nn.Linear(dim, outputs)
        self.mean = nn.Parameter(torch.zeros(outputs), requires_grad=False)
        self.stddev = nn.Parameter(torch.ones(outputs), requires_grad=False)

    @torch.no_grad()
    def update(self, values):
        self.mean.lerp_(values.mean(dim=0), 1 - self.beta)
        self.stddev = self.stddev.lerp(values.std(dim=0), 1 - self.beta).clamp(min=1e-4)

    def forward(self, x):
        values = self.value(x)
        if self.training:
            self.update(values.detach())
        return (values - self.mean) / self.stddev


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(8, 6),)


BUGGY = PopArt
FIXED = (
    """\
-        self.mean = nn.Parameter(torch.zeros(outputs), requires_grad=False)
-        self.stddev = nn.Parameter(torch.ones(outputs), requires_grad=False)
+        self.register_buffer("mean", torch.zeros(outputs))
+        self.register_buffer("stddev", torch.ones(outputs))

-        self.mean.lerp_(values.mean(dim=0), 1 - self.beta)
+        self.mean = self.mean.lerp(values.mean(dim=0), 1 - self.beta)
""",
)
