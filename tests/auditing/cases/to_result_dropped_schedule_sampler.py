"""t.to(device) stands alone as a statement: the moved copy is thrown away.

Thread: https://github.com/huggingface/accelerate/issues/2251
"""

import torch
from torch import nn

CODE = "to-result-dropped"
LINE_HAS = "weights.to("


class ImportanceWeightedLoss(nn.Module):
    def __init__(self, dim=8, steps=10):
        super().__init__()
        self.steps = steps
        self.denoise = nn.Linear(dim, dim)

    def sample(self, batch_size):
        return torch.rand(batch_size) * self.steps

    def forward(self, x):
        weights = self.sample(x.shape[0])
        weights.to(x.device)
        return (self.denoise(x) - x).pow(2).mean(dim=1) * weights


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = ImportanceWeightedLoss
FIXED = (
    """\
-        weights = self.sample(x.shape[0])
-        weights.to(x.device)
+        weights = self.sample(x.shape[0]).to(x)
""",
)
