"""Exercise 03: a normalizer that follows its model.

`Normalizer` brings measured features to mean 0 and standard deviation 1. It works on the CPU. After
`.cuda()` it does not, and a checkpoint forgets its statistics.

Your task: change `__init__` so that `mean` and `std`

- move with the module,
- are saved in its `state_dict()`, under the same names,
- and are never trained.

Check it with:  grader check 03
"""

import torch
from torch import nn


class Normalizer(nn.Module):
    """Normalizes a batch of measurements, feature by feature."""

    def __init__(self, mean: list[float], std: list[float]) -> None:
        super().__init__()
        self.mean = torch.tensor(mean)
        self.std = torch.tensor(std)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return it normalized."""
        return (x - self.mean) / self.std
