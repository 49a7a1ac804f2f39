"""Dropouts in a Python list never hear of eval(), so predictions stay random.

Thread: https://github.com/namisan/mt-dnn/issues/45
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.dropouts"


class MultiTaskHeads(nn.Module):
    def __init__(self, dim=16, tasks=(2, 3)):
        super().__init__()
        self.scoring = nn.ModuleList(nn.Linear(dim, classes) for classes in tasks)
        self.dropouts = [nn.Dropout(0.5) for _ in tasks]

    def forward(self, pooled):
        pairs = zip(self.scoring, self.dropouts, strict=True)
        return tuple(score(dropout(pooled)) for score, dropout in pairs)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 16),)


BUGGY = MultiTaskHeads
FIXED = (
    """\
-        self.dropouts = [nn.Dropout(0.5) for _ in tasks]
+        self.dropouts = nn.ModuleList(nn.Dropout(0.5) for _ in tasks)
""",
)
