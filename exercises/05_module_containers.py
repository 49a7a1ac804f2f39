"""Exercise 05: layers in a list, heads in a dict.

`MultiTaskNet` sends a batch through a stack of layers, then through one head for each task. On the
CPU it computes the right numbers. But its layers are invisible: `.cuda()` leaves them behind, no
optimizer trains them, and no checkpoint holds them.

Your task: change `__init__` so that the module knows its layers and its heads. `forward` is right
as it stands.

Check it with:  grader check 05
"""

import torch
from torch import nn


class MultiTaskNet(nn.Module):
    """One stack of hidden layers, shared by a head for each task."""

    def __init__(self, features: int, hidden: int, depth: int, tasks: dict[str, int]) -> None:
        super().__init__()
        sizes = [features] + [hidden] * depth
        self.layers = [nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth)]
        self.heads = {task: nn.Linear(hidden, outputs) for task, outputs in tasks.items()}

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Take a batch of shape (batch, features); return each task's prediction by its name."""
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return {task: head(x) for task, head in self.heads.items()}
