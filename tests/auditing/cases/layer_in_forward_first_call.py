"""A layer is made by the first call: after the move, and after the optimizer was built.

Thread: https://github.com/hearai/hearai/pull/34
"""

import torch
from torch import nn

CODE = "layer-in-forward"
WHERE = "self.fc"
LINE_HAS = "self.fc = nn.Linear("


class SignClassifier(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv = nn.Conv1d(3, 5, 3, padding=1)
        self.classes = classes
        self.fc = None

    def forward(self, frames):
        features = self.conv(frames).relu().flatten(1)
        if self.fc is None:
            self.fc = nn.Linear(features.shape[1], self.classes)
        return self.fc(features)


class SignClassifierInConstructor(nn.Module):
    def __init__(self, classes=4, length=6):
        super().__init__()
        self.conv = nn.Conv1d(3, 5, 3, padding=1)
        self.fc = nn.Linear(5 * length, classes)

    def forward(self, frames):
        return self.fc(self.conv(frames).relu().flatten(1))


class SignClassifierPooled(nn.Module):
    """Pools over time, so that the size is known whatever the length is."""

    def __init__(self, classes=4):
        super().__init__()
        self.conv = nn.Conv1d(3, 5, 3, padding=1)
        self.fc = nn.Linear(5, classes)

    def forward(self, frames):
        return self.fc(self.conv(frames).relu().mean(dim=-1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3, 6),)


BUGGY = SignClassifier
FIXED = (SignClassifierInConstructor, SignClassifierPooled)
