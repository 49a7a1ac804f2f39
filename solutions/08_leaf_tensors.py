"""One good answer to exercise 08: made on the device, and wrapped last."""

import torch
from torch import nn


class Prototypes(nn.Module):
    """Scores the classes of an object: the nearer a class's centre, the higher its score."""

    def __init__(
        self, features: int, classes: int, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones((), device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return scores of shape (batch, classes)."""
        distances = (x[:, None] - self.centres).square().sum(dim=2)
        return -distances / self.temperature
