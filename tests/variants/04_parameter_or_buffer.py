"""Accepted answers to exercise 04, and the mistakes learners make."""

import torch
from torch import nn


class Scaled(nn.Module):
    """What most variants share."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - self.running_mean) * self.weight


class BufferObject(Scaled):
    def __init__(self, features):
        super().__init__()
        self.running_mean = nn.Buffer(torch.zeros(features))
        self.weight = nn.Parameter(torch.ones(features))


class RegisteredByName(Scaled):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(features), persistent=True)
        self.register_parameter("weight", nn.Parameter(torch.ones(features)))


class FilledLater(Scaled):
    """Reserves memory first, as PyTorch's own layers do."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features))
        self.register_buffer("running_mean", torch.empty(features))
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.running_mean)


class AnotherFormula(nn.Module):
    """The same numbers by another road, and a `train` as PyTorch calls it."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.full((features,), 1.0))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return torch.addcmul(-self.running_mean * self.weight, x, self.weight)

    def train(self, mode):
        return super().train(mode)


class FrozenMean(Scaled):
    """Moved, saved and not trained, as a buffer is."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features), requires_grad=False)


class BothParameters(Scaled):
    """Everything moves and is saved, but the mean is trained."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.running_mean = nn.Parameter(torch.zeros(features))


class BothBuffers(Scaled):
    """Nothing is trained."""

    def __init__(self, features):
        super().__init__()
        self.register_buffer("weight", torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))


class PlainMean(Scaled):
    """The Parameter is right; the mean is left behind."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.running_mean = torch.zeros(features)


class PlainWeight(Scaled):
    """A tensor that requires a gradient is not yet a Parameter."""

    def __init__(self, features):
        super().__init__()
        self.weight = torch.ones(features, requires_grad=True)
        self.register_buffer("running_mean", torch.zeros(features))


class ForgottenByCheckpoint(Scaled):
    """A buffer, but not a saved one."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features), persistent=False)


class FrozenWeight(Scaled):
    """A Parameter in name only."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features), requires_grad=False)
        self.register_buffer("running_mean", torch.zeros(features))


class Detached(nn.Module):
    """The weight is used, but no gradient gets back to it."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.running_mean) * self.weight.detach()


class ForgotTheMean(nn.Module):
    """With a mean of zeros nobody would notice."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return x * self.weight


class BackToTheCpu(nn.Module):
    """Right numbers, wrong place."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("running_mean", torch.zeros(features))

    def forward(self, x):
        return ((x - self.running_mean) * self.weight).cpu()


class WrongShape(Scaled):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.register_buffer("running_mean", torch.zeros(features))


class OnlyTheNamesSwapped(Scaled):
    """What each is called was exchanged, and what is in it came along."""

    def __init__(self, features):
        super().__init__()
        self.register_buffer("running_mean", torch.ones(features))
        self.weight = nn.Parameter(torch.zeros(features))


class RenamedMean(nn.Module):
    """The checkpoint's keys would not fit."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("mean", torch.zeros(features))

    def forward(self, x):
        return (x - self.mean) * self.weight


ACCEPTED = ("BufferObject", "RegisteredByName", "FilledLater", "AnotherFormula", "FrozenMean")
ALSO_RIGHT = {
    "nn.Buffer(torch.zeros(features))": "BufferObject",
    'self.register_parameter("weight", nn.Parameter(...))': "RegisteredByName",
    "nn.Parameter(torch.zeros(features), requires_grad=False)": "FrozenMean",
}
MISTAKES = {
    "BothParameters": "parameter-or-buffer",
    "BothBuffers": "parameter-or-buffer",
    "PlainMean": "member-tensor",
    "PlainWeight": "member-tensor",
    "ForgottenByCheckpoint": "lost-from-checkpoint",
    "FrozenWeight": "parameter-or-buffer",
    "Detached": "check training",
    "ForgotTheMean": "check forward",
    "BackToTheCpu": "check forward",
    "WrongShape": "check parameters",
    "OnlyTheNamesSwapped": "check parameters",
    "RenamedMean": "check state_dict",
}
