"""One good answer to exercise 10: a count that decides the answer is state, so it is a buffer."""

import torch
from torch import nn


class RunningScaler(nn.Module):
    """Brings features to mean 0 and variance 1, by statistics gathered in training mode."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("variance", torch.ones(features))
        self.register_buffer("batches", torch.tensor(0))

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
