"""The log-determinant of a flow is accumulated in a tensor that starts on the CPU.

Thread: https://github.com/tonyduan/normalizing-flows/pull/6
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.zeros("


class AffineFlow(nn.Module):
    def __init__(self, dim=4, steps=3):
        super().__init__()
        self.nets = nn.ModuleList(nn.Linear(dim // 2, dim) for _ in range(steps))

    def forward(self, x):
        log_det = torch.zeros(x.shape[0])
        for net in self.nets:
            kept, changed = x.chunk(2, dim=-1)
            scale, shift = net(kept).chunk(2, dim=-1)
            x = torch.cat([changed * scale.tanh().exp() + shift, kept], dim=-1)
            log_det = log_det + scale.tanh().sum(dim=-1)
        return x, log_det


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 4),)


BUGGY = AffineFlow
FIXED = (
    """\
-        log_det = torch.zeros(x.shape[0])
+        log_det = x.new_zeros(x.shape[0])
""",
    # Starts from the number 0, which has no device.
    """\
-        log_det = torch.zeros(x.shape[0])
+        log_det = 0.0
""",
)
