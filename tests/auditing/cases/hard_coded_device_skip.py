"""Skip connections are sent to "the GPU", which need not be the GPU that the model is on.

Thread: https://github.com/LianpoWang/WLKDCA-Net/issues/16
"""

import torch
from torch import nn

CODE = "hard-coded-device"
LINE_HAS = "x.cuda()"


class SkipNet(nn.Module):
    def __init__(self, channels=3):
        super().__init__()
        self.down = nn.Conv2d(channels, channels, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(channels, channels, 2, stride=2)

    def forward(self, x):
        skip = x.cuda() if torch.cuda.is_available() else x
        return self.up(self.down(x).relu()) + skip


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 8, 8),)


BUGGY = SkipNet
FIXED = (
    """\
-        skip = x.cuda() if torch.cuda.is_available() else x
-        return self.up(self.down(x).relu()) + skip
+        return self.up(self.down(x).relu()) + x
""",
)
