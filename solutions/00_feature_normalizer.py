"""One good answer to exercise 00: the statistics are a buffer."""

import torch
from torch import nn


class FeatureNormalizer(nn.Module):
    """Brings each feature of a sound to mean 0 and standard deviation 1."""

    def __init__(self, statistics: list[list[float]]) -> None:
        super().__init__()
        self.register_buffer("statistics", torch.tensor(statistics))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Take features of shape (time, features); return them normalized."""
        mean, std = self.statistics
        return (features - mean) / std
