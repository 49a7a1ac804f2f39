"""A loop assigns the moved tensors to its own variable; the list keeps the old ones.

Thread: https://github.com/intel/intel-extension-for-pytorch/pull/267
"""

import torch
from torch import nn

CODE = "to-result-dropped"
LINE_HAS = "noise = noise.to(x.device)"


class NoisyEnsemble(nn.Module):
    def __init__(self, dim=6, views=3):
        super().__init__()
        self.views = views
        self.net = nn.Linear(dim, 2)

    def forward(self, x):
        noises = [0.1 * torch.randn(x.shape) for _ in range(self.views)]
        for noise in noises:
            noise = noise.to(x.device)
        return torch.stack([self.net(x + noise) for noise in noises]).mean(dim=0)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = NoisyEnsemble
FIXED = (
    """\
-        for noise in noises:
-            noise = noise.to(x.device)
+        noises = [noise.to(x) for noise in noises]
""",
    """\
-        noises = [0.1 * torch.randn(x.shape) for _ in range(self.views)]
-        for noise in noises:
-            noise = noise.to(x.device)
-        return torch.stack([self.net(x + noise) for noise in noises]).mean(dim=0)
+        outputs = [self.net(x + 0.1 * torch.randn_like(x)) for _ in range(self.views)]
+        return torch.stack(outputs).mean(dim=0)
""",
)
