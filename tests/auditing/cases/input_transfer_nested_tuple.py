"""The model moves its batch itself, but does not look inside a tuple of features.

Thread: https://github.com/catalyst-team/catalyst/pull/214
"""

import torch
from torch import nn

CODE = "input-transfer"


def batch_to(batch, device):
    moved = {}
    for name, value in batch.items():
        moved[name] = value.to(device) if torch.is_tensor(value) else value
    return moved


class TwoViewModel(nn.Module):
    """Takes a batch straight from the loader: {"features": (left, right), "weights": tensor}."""

    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.left = nn.Linear(dim, classes)
        self.right = nn.Linear(dim, classes)

    def forward(self, batch):
        batch = batch_to(batch, self.left.weight.device)
        left, right = batch["features"]
        logits = self.left(left) + self.right(right)
        return logits * batch["weights"][:, None]


def example_input() -> tuple:
    batch = {"features": (torch.randn(4, 6), torch.randn(4, 6)), "weights": torch.rand(4)}
    return (batch,)


BUGGY = TwoViewModel
FIXED = (
    """\
+from torch.utils._pytree import tree_map
 import torch

-        batch = batch_to(batch, self.left.weight.device)
+        device = self.left.weight.device
+        batch = tree_map(lambda leaf: leaf.to(device) if torch.is_tensor(leaf) else leaf, batch)
""",
)
