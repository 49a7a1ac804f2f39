"""The moving average of the weights lives in a list of clones and never leaves the CPU.

Thread: https://github.com/dptech-corp/Uni-Core/issues/42
"""

import copy

import torch
from torch import nn

CODE = "averaged-copy"
WHERE = "self.average"


class AveragedRegressor(nn.Module):
    def __init__(self, dim=6, decay=0.9):
        super().__init__()
        self.net = nn.Linear(dim, 1)
        self.decay = decay
        self.average = [p.detach().clone() for p in self.net.parameters()]

    @torch.no_grad()
    def update(self):
        for mean, parameter in zip(self.average, self.net.parameters(), strict=True):
            mean -= (1 - self.decay) * (mean - parameter)

    def forward(self, x):
        if self.training:
            self.update()
            return self.net(x)
        weight, bias = self.average
        return nn.functional.linear(x, weight, bias)


class AveragedRegressorModule(nn.Module):
    def __init__(self, dim=6, decay=0.9):
        super().__init__()
        self.net = nn.Linear(dim, 1)
        self.decay = decay
        self.average = copy.deepcopy(self.net).requires_grad_(False)

    @torch.no_grad()
    def update(self):
        pairs = zip(self.average.parameters(), self.net.parameters(), strict=True)
        for mean, parameter in pairs:
            mean.lerp_(parameter, 1 - self.decay)

    def forward(self, x):
        if self.training:
            self.update()
            return self.net(x)
        return self.average(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = AveragedRegressor
FIXED = (
    AveragedRegressorModule,
    """\
-        self.average = [p.detach().clone() for p in self.net.parameters()]
+        self.register_buffer("average_weight", self.net.weight.detach().clone())
+        self.register_buffer("average_bias", self.net.bias.detach().clone())

-        for mean, parameter in zip(self.average, self.net.parameters(), strict=True):
-            mean -= (1 - self.decay) * (mean - parameter)
+        self.average_weight.lerp_(self.net.weight, 1 - self.decay)
+        self.average_bias.lerp_(self.net.bias, 1 - self.decay)

-        weight, bias = self.average
-        return nn.functional.linear(x, weight, bias)
+        return nn.functional.linear(x, self.average_weight, self.average_bias)
""",
)
