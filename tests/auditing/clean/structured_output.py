"""An output of many shapes: a dict with a tuple, a dataclass, a number, a string and a None."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Boxes:
    corners: torch.Tensor
    labels: tuple[str, ...]


class Detector(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.box = nn.Linear(dim, 4)
        self.score = nn.Linear(dim, 1)

    def forward(self, x):
        return {
            "boxes": Boxes(self.box(x), labels=("cat",) * x.shape[0]),
            "scores": (self.score(x).squeeze(-1), None),
            "count": x.shape[0],
            "loss": None,
        }


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = Detector
