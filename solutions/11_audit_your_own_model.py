"""One good answer to exercise 11: two buffers, and light that is made where the photos are."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy


class LeafDoctor(nn.Module):
    """A classifier of photos that knows its own loss."""

    def __init__(self, average: tuple[float, ...] = (0.4, 0.5, 0.3), diseases: int = 4) -> None:
        super().__init__()
        # Of each colour, measured in all photos.
        self.register_buffer("average", torch.tensor(average))
        self.patches = nn.Conv2d(len(average), 5, kernel_size=3, padding=1)
        self.scores = nn.Linear(5, diseases)
        self.register_buffer("met", torch.ones(diseases))

    def vary_light(self, photos: torch.Tensor) -> torch.Tensor:
        """Make each photo a little brighter or darker."""
        light = torch.rand(len(photos), 1, 1, 1, device=photos.device)
        return photos * (0.9 + 0.2 * light)

    def forward(
        self, photos: torch.Tensor, diseases: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take photos (batch, 3, height, width) and their diseases; return scores and a loss."""
        if self.training:
            photos = self.vary_light(photos)
            self.met += torch.bincount(diseases, minlength=len(self.met))
        found = self.patches(photos - self.average[:, None, None]).relu()
        scores = self.scores(found.mean(dim=(2, 3)))
        return scores, cross_entropy(scores, diseases, weight=self.met.mean() / self.met)


def example_input() -> tuple[torch.Tensor, torch.Tensor]:
    """Six photos and their diseases, for the audit."""
    return torch.rand(6, 3, 8, 8), torch.randint(4, (6,))
