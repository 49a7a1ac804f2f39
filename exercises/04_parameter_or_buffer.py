"""Exercise 04: what is trained, what is kept.

`CenterScale` subtracts a running mean from each feature and scales the result. It has two tensors
of shape `(features,)`:

- `weight`, ones at first, is learned by gradient descent;
- `running_mean`, zeros at first, is measured elsewhere. It is saved with the model, and no
  optimizer may change it.

`forward(x)` is `(x - running_mean) * weight`. It is right as it stands.

Your task: change `__init__` so that each of the two is registered as described above. Now it is the
other way round.

Check it with:  grader check 04
"""

import torch
from torch import nn


class CenterScale(nn.Module):
    """Centres each feature, then scales it."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, features)."""
        return (x - self.running_mean) * self.weight
