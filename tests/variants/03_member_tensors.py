"""Accepted answers to exercise 03, and the mistakes learners make."""

import torch
from torch import nn


class Normalize(nn.Module):
    """What all variants share."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - self.mean) / self.std


class BufferObjects(Normalize):
    """The newer spelling: a buffer by assignment."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = nn.Buffer(torch.tensor(mean))
        self.std = nn.Buffer(torch.tensor(std))


class FrozenParameters(Normalize):
    """A Parameter that needs no gradient moves, is saved, and is not trained."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = nn.Parameter(torch.tensor(mean), requires_grad=False)
        self.std = nn.Parameter(torch.tensor(std), requires_grad=False)


class InALoop(Normalize):
    """Registered by name, in a loop."""

    def __init__(self, mean, std):
        super().__init__()
        for name, values in {"std": std, "mean": mean}.items():
            self.register_buffer(name, torch.as_tensor(values, dtype=torch.float32))


class KeptAsARow(Normalize):
    """Another shape that broadcasts just as well."""

    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1))
        self.register_buffer("std", torch.tensor(std).unsqueeze(0))

    def forward(self, x):
        return x.sub(self.mean).div(self.std)


class MovedInForward(nn.Module):
    """Runs on CUDA, but the module still does not know its tensors, and saves none."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean)
        self.std = torch.tensor(std)

    def forward(self, x):
        return (x - self.mean.to(x.device)) / self.std.to(x.device)


class OnlyTheMean(Normalize):
    """Half the work."""

    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean))
        self.std = torch.tensor(std)


class TrainedStatistics(Normalize):
    """Parameters move as well, but the optimizer changes them."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = nn.Parameter(torch.tensor(mean))
        self.std = nn.Parameter(torch.tensor(std))


class NotSaved(Normalize):
    """Moves, but is not in the state_dict."""

    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean), persistent=False)
        self.register_buffer("std", torch.tensor(std), persistent=False)


class AlwaysOnCuda(Normalize):
    """Made on CUDA, wherever the module is."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean, device="cuda")
        self.std = torch.tensor(std, device="cuda")


class MovedParameter(Normalize):
    """`.cuda()` of a Parameter is a plain tensor."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = nn.Parameter(torch.tensor(mean)).cuda()
        self.std = nn.Parameter(torch.tensor(std)).cuda()


class InADict(nn.Module):
    """A dict hides them just as well."""

    def __init__(self, mean, std):
        super().__init__()
        self.statistics = {"mean": torch.tensor(mean), "std": torch.tensor(std)}

    def forward(self, x):
        return (x - self.statistics["mean"]) / self.statistics["std"]


class Multiplied(nn.Module):
    """Registered well, but the formula changed on the way."""

    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))

    def forward(self, x):
        return (x - self.mean) * self.std


class AssignedTwice(Normalize):
    """`register_buffer` returns None, and the assignment stores it."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = self.register_buffer("mean", torch.tensor(mean))
        self.std = self.register_buffer("std", torch.tensor(std))


class NoSuperInit(Normalize):
    """Registers before there is anything to register in."""

    def __init__(self, mean, std):
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))


class ChangesTheMeasurements(BufferObjects):
    """Saves memory, and the caller's measurements are gone."""

    def forward(self, x):
        return x.sub_(self.mean).div_(self.std)


ACCEPTED = ("BufferObjects", "FrozenParameters", "InALoop", "KeptAsARow")
ALSO_RIGHT = {
    "nn.Buffer(torch.tensor(mean))": "BufferObjects",
    "nn.Parameter(torch.tensor(mean), requires_grad=False)": "FrozenParameters",
}
MISTAKES = {
    "MovedInForward": "member-tensor",
    "OnlyTheMean": "member-tensor",
    "TrainedStatistics": "parameter-or-buffer",
    "NotSaved": "lost-from-checkpoint",
    "AlwaysOnCuda": "hard-coded-device",
    "MovedParameter": "moved-before-registration",
    "InADict": "python-container",
    "Multiplied": "check forward",
    "AssignedTwice": "registration-misuse",
    "NoSuperInit": "registration-misuse",
    "ChangesTheMeasurements": "check forward",
}
