"""Exercise 05b: Parameters in a list, Parameters in a dict.

`TaskAdapter` adapts the features of a big frozen model to several tasks. Two thin matrices, shared
by all tasks, reduce the features and expand them again; each task has a gain and a shift of its
own. On the CPU it computes the right numbers. But an optimizer finds nothing to train in it,
`.cuda()` leaves everything behind, and no checkpoint holds it.

Your task: change `__init__` so that the module knows all of its Parameters. They start as now: the
factors as small random numbers, the gains at one, the shifts at zero. `forward` may stay as it is.

Check it with:  grader check 05b
"""

import torch
from torch import nn


class TaskAdapter(nn.Module):
    """A correction of low rank, shared by all tasks, and a gain and a shift for each."""

    def __init__(self, features: int, rank: int, tasks: list[str]) -> None:
        super().__init__()
        shapes = [(features, rank), (rank, features)]
        self.factors = [nn.Parameter(0.1 * torch.randn(shape)) for shape in shapes]
        self.gains = {task: nn.Parameter(torch.ones(features)) for task in tasks}
        self.shifts = {task: nn.Parameter(torch.zeros(features)) for task in tasks}

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Take a batch of shape (batch, features); return each task's features by its name."""
        down, up = self.factors
        corrected = x + x @ down @ up
        return {task: corrected * self.gains[task] + self.shifts[task] for task in self.gains}
