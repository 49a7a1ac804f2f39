"""Exercise 10: a scaler that forgets what it has seen.

`RunningScaler` gathers the mean and the variance of each feature, batch by batch, while it is in
training mode. Afterwards it normalizes with them. It counts the batches, to give each the same
weight, and to know whether it has seen any: without one, it returns its input unchanged.

It works on every device. But load its checkpoint into a new one, and that does nothing at all.

Your task: let a checkpoint hold all that the scaler has learned, under the names `mean`, `variance`
and `batches`, and no others. `batches` is an integer of 32 or 64 bits. `update` and `forward` may
change where they have to; what they compute may not.

Check it with:  grader check 10
"""

import torch
from torch import nn


class RunningScaler(nn.Module):
    """Brings features to mean 0 and variance 1, by statistics gathered in training mode."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("variance", torch.ones(features))
        self.batches = 0

    def update(self, x: torch.Tensor) -> None:
        """Let one more batch count as much as each of those before it."""
        self.batches += 1
        self.mean += (x.mean(dim=0) - self.mean) / self.batches
        self.variance += (x.var(dim=0) - self.variance) / self.batches

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return it normalized."""
        if self.training:
            self.update(x.detach())
        if self.batches == 0:
            return x
        return (x - self.mean) / self.variance.sqrt()
