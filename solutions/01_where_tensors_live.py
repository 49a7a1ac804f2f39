"""One good answer to exercise 01: the grid is made where the heat maps are."""

import torch
from torch import nn


class KeypointFinder(nn.Module):
    """Turns heat maps into points: the average place, weighted by the heat."""

    def __init__(self, sharpness: float) -> None:
        super().__init__()
        self.sharpness = sharpness

    def forward(self, heat: torch.Tensor) -> torch.Tensor:
        """Take maps (batch, points, height, width); return an x and a y from -1 to 1 for each."""
        height, width = heat.shape[-2:]
        y = torch.linspace(-1, 1, height, device=heat.device)
        x = torch.linspace(-1, 1, width, device=heat.device)
        weights = (self.sharpness * heat.flatten(-2)).softmax(dim=-1).view_as(heat)
        across = (weights.sum(dim=-2) * x).sum(dim=-1)
        down = (weights.sum(dim=-1) * y).sum(dim=-1)
        return torch.stack([across, down], dim=-1)
