"""Exercise 11: a model that nobody has audited.

`LeafDoctor` tells the diseases of plants from small photos. In training it varies the light of each
photo, and counts how often it has met each disease: the rarer one is, the more it weighs in the
loss. It trains on the CPU, and there it has always been tried.

Your task: audit it, fix each error that the audit finds, and audit again, until it finds none. The
model computes what it did before. Whatever was measured or counted is saved, under the name it has
now.

Audit it with:  grader audit exercises/11_audit_your_own_model.py:LeafDoctor
Check it with:  grader check 11
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy


class LeafDoctor(nn.Module):
    """A classifier of photos that knows its own loss."""

    def __init__(self, average: tuple[float, ...] = (0.4, 0.5, 0.3), diseases: int = 4) -> None:
        super().__init__()
        self.average = torch.tensor(average)  # of each colour, measured in all photos
        self.patches = nn.Conv2d(len(average), 5, kernel_size=3, padding=1)
        self.scores = nn.Linear(5, diseases)
        self.met = torch.ones(diseases)

    def vary_light(self, photos: torch.Tensor) -> torch.Tensor:
        """Make each photo a little brighter or darker."""
        return photos * (0.9 + 0.2 * torch.rand(len(photos), 1, 1, 1))

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
