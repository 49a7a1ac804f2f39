"""Accepted answers to exercise 00, and the mistakes learners make."""

import torch
from torch import nn


class Normalize(nn.Module):
    """What all variants share."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        mean, std = self.statistics
        return (features - mean) / std


class BufferObject(Normalize):
    """The newer spelling: a buffer by assignment."""

    def __init__(self, statistics):
        super().__init__()
        self.statistics = nn.Buffer(torch.tensor(statistics))


class FrozenParameter(Normalize):
    """A Parameter that needs no gradient moves, is saved, and is not trained."""

    def __init__(self, statistics):
        super().__init__()
        self.statistics = nn.Parameter(torch.tensor(statistics), requires_grad=False)


class NamedFirst(Normalize):
    """The name is a buffer's before it has a value, so the assignment registers."""

    def __init__(self, statistics):
        super().__init__()
        self.register_buffer("statistics", None)
        self.statistics = torch.tensor(statistics)


class MovedInForward(nn.Module):
    """Runs on CUDA, but the module still does not know its tensor, and does not save it."""

    def __init__(self, statistics):
        super().__init__()
        self.statistics = torch.tensor(statistics)

    def forward(self, features):
        mean, std = self.statistics.to(features.device)
        return (features - mean) / std


class Trained(Normalize):
    """A Parameter moves as well, but the optimizer changes it."""

    def __init__(self, statistics):
        super().__init__()
        self.statistics = nn.Parameter(torch.tensor(statistics))


class NotSaved(Normalize):
    """Moves, and is lost from the checkpoint."""

    def __init__(self, statistics):
        super().__init__()
        self.register_buffer("statistics", torch.tensor(statistics), persistent=False)


class AlwaysOnCuda(Normalize):
    """Runs on one GPU, and nowhere else."""

    def __init__(self, statistics):
        super().__init__()
        self.statistics = torch.tensor(statistics, device="cuda")


class Turned(Normalize):
    """Registered, and read in the wrong order."""

    def __init__(self, statistics):
        super().__init__()
        self.register_buffer("statistics", torch.tensor(statistics))

    def forward(self, features):
        std, mean = self.statistics
        return (features - mean) / std


class Unpacked(nn.Module):
    """Registered, and read through views, which no move changes."""

    def __init__(self, statistics):
        super().__init__()
        self.register_buffer("statistics", torch.tensor(statistics))
        self.mean, self.std = self.statistics

    def forward(self, features):
        return (features - self.mean) / self.std


ACCEPTED = ("BufferObject", "FrozenParameter", "NamedFirst")
ALSO_RIGHT = {
    "nn.Buffer(torch.tensor(statistics))": "BufferObject",
    "nn.Parameter(torch.tensor(statistics), requires_grad=False)": "FrozenParameter",
}
MISTAKES = {
    "MovedInForward": "member-tensor",
    "Trained": "parameter-or-buffer",
    "NotSaved": "lost-from-checkpoint",
    "AlwaysOnCuda": "hard-coded-device",
    "Turned": "check forward",
    "Unpacked": "member-tensor",
}
