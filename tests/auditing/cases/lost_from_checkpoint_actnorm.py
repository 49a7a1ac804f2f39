"""The flag that says ActNorm has seen data is a Python bool, so a reloaded model starts over.

Thread: https://github.com/bayesiains/nflows/issues/4
"""

import torch
from torch import nn

CODE = "lost-from-checkpoint"
WHERE = "self.initialized"


class ActNorm(nn.Module):
    def __init__(self, features=5):
        super().__init__()
        self.initialized = False
        self.log_scale = nn.Parameter(torch.zeros(features))
        self.shift = nn.Parameter(torch.zeros(features))

    @torch.no_grad()
    def initialise(self, x):
        self.log_scale.copy_(-x.std(dim=0).clamp(min=1e-3).log())
        self.shift.copy_(-x.mean(dim=0))
        self.initialized = True

    def forward(self, x):
        if not self.initialized:
            self.initialise(x)
        return (x + self.shift) * self.log_scale.exp()


def example_input() -> tuple[torch.Tensor, ...]:
    return (3 * torch.randn(8, 5) + 1,)


BUGGY = ActNorm
FIXED = (
    """\
-        self.initialized = False
+        self.register_buffer("initialized", torch.tensor(False))

-        self.initialized = True
+        self.initialized.fill_(True)
""",
)
