"""A learned threshold is sent to the GPU of the machine right after wrapping, and is lost.

Thread: https://github.com/pytorch/pytorch/issues/39062
"""

import torch
from torch import nn

CODE = "moved-before-registration"
WHERE = "self.threshold"
LINE_HAS = ".to(device)"


class SoftThreshold(nn.Module):
    def __init__(self, features=6):
        super().__init__()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.scale = nn.Parameter(torch.ones(features))
        self.threshold = nn.Parameter(0.1 * torch.rand(features)).to(device)

    def forward(self, x):
        return self.scale * x.sign() * (x.abs() - self.threshold).relu()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = SoftThreshold
FIXED = (
    """\
-        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

-        self.threshold = nn.Parameter(0.1 * torch.rand(features)).to(device)
+        self.threshold = nn.Parameter(0.1 * torch.rand(features))
""",
)
