"""A private generator is made once on the CPU and then used to draw on the model's device.

Thread: https://github.com/dbolya/tomesd/pull/25
"""

import torch
from torch import nn

CODE = "generator-device"
WHERE = "self.rng"
LINE_HAS = "torch.Generator()"


class RandomTokenDrop(nn.Module):
    def __init__(self, dim=8, keep=0.7, seed=0):
        super().__init__()
        self.keep = keep
        self.project = nn.Linear(dim, dim)
        self.rng = torch.Generator().manual_seed(seed)

    def forward(self, tokens):
        chance = torch.rand(tokens.shape[:2], generator=self.rng, device=tokens.device)
        return self.project(tokens) * (chance < self.keep).unsqueeze(-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = RandomTokenDrop
FIXED = (
    """\
         self.keep = keep
+        self.seed = seed

-        self.rng = torch.Generator().manual_seed(seed)
+        self.rngs = {}
+
+    def rng(self, device):
+        if device not in self.rngs:
+            self.rngs[device] = torch.Generator(device=device).manual_seed(self.seed)
+        return self.rngs[device]

-        chance = torch.rand(tokens.shape[:2], generator=self.rng, device=tokens.device)
+        rng = self.rng(tokens.device)
+        chance = torch.rand(tokens.shape[:2], generator=rng, device=tokens.device)
""",
    # Draws on the CPU and moves the draw: the same tokens are dropped on every device.
    """\
-        chance = torch.rand(tokens.shape[:2], generator=self.rng, device=tokens.device)
+        chance = torch.rand(tokens.shape[:2], generator=self.rng).to(tokens.device)
""",
)
