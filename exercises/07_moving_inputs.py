"""Exercise 07: a training step that moves its own batch.

`TwoViewStep` is one step of a training loop. It takes a batch as the data loader returns it, on the
CPU: two views of each object, and the labels. It moves the batch to the model and returns the
scores and the loss. Since the second view was added, it works on the CPU only.

Your task: change `to_device` so that all three tensors of the batch that `forward` makes reach the
model's device: the labels, and the two views in their tuple. The step still receives CPU batches,
and the model may be on any device.

Check it with:  grader check 07
"""

from typing import Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy


class TwoViewStep(nn.Module):
    """One training step of a classifier that sees each object from two sides."""

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.left = nn.Linear(features, classes)
        self.right = nn.Linear(features, classes)

    def to_device(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the batch on the model's device."""
        device = self.left.weight.device
        return {
            name: part.to(device) if torch.is_tensor(part) else part for name, part in batch.items()
        }

    def forward(self, rows: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, torch.Tensor]:
        """Take (left view, right view, labels) from the loader; return the scores and the loss."""
        left, right, labels = rows
        batch = self.to_device({"views": (left, right), "labels": labels})
        left, right = batch["views"]
        scores = self.left(left) + self.right(right)
        return scores, cross_entropy(scores, batch["labels"])
