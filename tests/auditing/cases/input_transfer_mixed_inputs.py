"""Only items with a .to() are moved, and a tuple of two inputs has none.

Thread: https://github.com/fastai/fastai/issues/3294
"""

import torch
from torch import nn

CODE = "input-transfer"


class MixedLearner(nn.Module):
    """Takes (inputs, target) from the loader, where inputs may be a tuple of tensors."""

    def __init__(self, tabular=4, series=6):
        super().__init__()
        self.tabular = nn.Linear(tabular, 1)
        self.series = nn.Linear(series, 1)

    def one_batch(self, batch):
        device = self.tabular.weight.device
        return tuple(part.to(device) if hasattr(part, "to") else part for part in batch)

    def forward(self, inputs, target):
        (tabular, series), target = self.one_batch((inputs, target))
        predicted = (self.tabular(tabular) + self.series(series)).squeeze(-1)
        return (predicted - target).pow(2).mean()


def example_input() -> tuple:
    return ((torch.randn(4, 4), torch.randn(4, 6)), torch.randn(4))


BUGGY = MixedLearner
FIXED = (
    """\
-    def one_batch(self, batch):
-        device = self.tabular.weight.device
-        return tuple(part.to(device) if hasattr(part, "to") else part for part in batch)
+    def one_batch(self, part):
+        if isinstance(part, (tuple, list)):
+            return tuple(self.one_batch(item) for item in part)
+        return part.to(self.tabular.weight.device)
""",
)
