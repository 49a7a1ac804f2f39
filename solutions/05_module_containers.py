"""One good answer to exercise 05: containers that are modules themselves."""

import torch
from torch import nn


class MultiTaskNet(nn.Module):
    """One stack of hidden layers, shared by a head for each task."""

    def __init__(self, features: int, hidden: int, depth: int, tasks: dict[str, int]) -> None:
        super().__init__()
        sizes = [features] + [hidden] * depth
        self.layers = nn.ModuleList(nn.Linear(sizes[i], sizes[i + 1]) for i in range(depth))
        self.heads = nn.ModuleDict({task: nn.Linear(hidden, n) for task, n in tasks.items()})

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Take a batch of shape (batch, features); return each task's prediction by its name."""
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return {task: head(x) for task, head in self.heads.items()}
