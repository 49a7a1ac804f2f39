"""A constant follows with .cuda() if the input is on a GPU, and lands on GPU 0 every time.

Thread: https://github.com/seyonechithrananda/bert-loves-chemistry/pull/15
"""

import torch
from torch import nn

CODE = "hard-coded-device"
LINE_HAS = ".cuda()"


class LabelScaler(nn.Module):
    def __init__(self, dim=6, targets=3):
        super().__init__()
        self.targets = targets
        self.head = nn.Linear(dim, targets)

    def label_range(self, x):
        scale = torch.linspace(1.0, 3.0, self.targets)
        return scale.cuda() if x.is_cuda else scale

    def forward(self, x):
        return self.head(x) * self.label_range(x)


class LabelScalerBuffer(nn.Module):
    def __init__(self, dim=6, targets=3):
        super().__init__()
        self.head = nn.Linear(dim, targets)
        self.register_buffer("label_range", torch.linspace(1.0, 3.0, targets))

    def forward(self, x):
        return self.head(x) * self.label_range


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = LabelScaler
FIXED = (
    """\
-        scale = torch.linspace(1.0, 3.0, self.targets)
-        return scale.cuda() if x.is_cuda else scale
+        return torch.linspace(1.0, 3.0, self.targets).to(x)
""",
    LabelScalerBuffer,
)
