"""Fixed wavelet filters are frozen Parameters; unfreezing the model starts to train them.

Thread: https://github.com/fbcotter/pytorch_wavelets/pull/19
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "parameter-or-buffer"
SEVERITY = "warning"
WHERE = "self.low"


def haar(channels):
    low = torch.tensor([0.5, 0.5]).repeat(channels, 1, 1)
    high = torch.tensor([0.5, -0.5]).repeat(channels, 1, 1)
    return low, high


class HaarSplit(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        low, high = haar(channels)
        self.low = nn.Parameter(low, requires_grad=False)
        self.high = nn.Parameter(high, requires_grad=False)
        self.mix = nn.Conv1d(2 * channels, channels, 1)

    def forward(self, signal):
        groups = signal.shape[1]
        low = functional.conv1d(signal, self.low, stride=2, groups=groups)
        high = functional.conv1d(signal, self.high, stride=2, groups=groups)
        return self.mix(torch.cat([low, high], dim=1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 4, 16),)


BUGGY = HaarSplit
FIXED = (
    """\
-        self.low = nn.Parameter(low, requires_grad=False)
-        self.high = nn.Parameter(high, requires_grad=False)
+        self.register_buffer("low", low)
+        self.register_buffer("high", high)
""",
)
