"""Convolutions are built inside forward: new random weights in each call, none of them trained.

Thread: https://github.com/wangyida/softpool/issues/11
"""

import torch
from torch import nn

CODE = "layer-in-forward"
LINE_HAS = "refine = nn.Conv1d("


class SoftPool(nn.Module):
    def __init__(self, regions=4):
        super().__init__()
        self.score = nn.Conv1d(6, regions, 1)

    def forward(self, points):
        weights = self.score(points).softmax(dim=-1)
        pooled = points @ weights.transpose(1, 2)
        refine = nn.Conv1d(pooled.shape[1], pooled.shape[1], kernel_size=3, padding=1)
        return refine(pooled)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 10),)


BUGGY = SoftPool
FIXED = (
    """\
         self.score = nn.Conv1d(6, regions, 1)
+        self.refine = nn.Conv1d(6, 6, kernel_size=3, padding=1)

-        pooled = points @ weights.transpose(1, 2)
-        refine = nn.Conv1d(pooled.shape[1], pooled.shape[1], kernel_size=3, padding=1)
-        return refine(pooled)
+        return self.refine(points @ weights.transpose(1, 2))
""",
)
