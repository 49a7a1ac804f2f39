"""A teacher is hidden on purpose, so that it is neither trained nor saved, and is moved on use."""

import torch
from torch import nn


def released_weights(dim, classes):
    """Stands for the file that a teacher is always loaded from."""
    weight = torch.linspace(-1, 1, dim * classes).view(classes, dim)
    return {"weight": weight, "bias": torch.zeros(classes)}


class Distilled(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        teacher = nn.Linear(dim, classes)
        teacher.load_state_dict(released_weights(dim, classes))
        teacher.requires_grad_(False).eval()
        self._teacher = [teacher]
        self.student = nn.Linear(dim, classes)

    def forward(self, x):
        teacher = self._teacher[0].to(device=x.device, dtype=x.dtype)
        with torch.no_grad():
            target = teacher(x).softmax(dim=-1)
        return self.student(x), target


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


CLEAN = Distilled
