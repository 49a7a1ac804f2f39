"""Accepted answers to exercise 08, and the mistakes learners make."""

import torch
from torch import nn


def best():
    return "cuda" if torch.cuda.is_available() else "cpu"


class Distances(nn.Module):
    """What all variants share."""

    def forward(self, x):
        distances = (x[:, None] - self.centres).square().sum(dim=2)
        return -distances / self.temperature


class MovedThenWrapped(Distances):
    """The same calls in the other order."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features).to(device))
        self.temperature = nn.Parameter(torch.ones(()).to(device))


class ModuleMovedLast(Distances):
    """The module moves in place, so nothing has to be wrapped again."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features))
        self.temperature = nn.Parameter(torch.ones(()))
        self.to(device)


class FactoryArguments(Distances):
    """As PyTorch's own layers do it."""

    def __init__(self, features, classes, device=None, dtype=None):
        super().__init__()
        there = {"device": device, "dtype": dtype}
        self.centres = nn.Parameter(torch.empty(classes, features, **there))
        self.temperature = nn.Parameter(torch.ones((), **there))
        nn.init.eye_(self.centres)


class RegisteredByName(Distances):
    """The same through `register_parameter`."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        centres = torch.eye(classes, features, device=device)
        self.register_parameter("centres", nn.Parameter(centres))
        self.register_parameter("temperature", nn.Parameter(torch.ones((), device=device)))


class OnTheMachinesGpu(Distances):
    """Wrapped last, but nobody asked for CUDA."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        device = device or best()
        self.centres = nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones((), device=device))


class OnlyTheCentres(Distances):
    """The temperature is forgotten."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        device = device or best()
        self.centres = nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones(())).to(device)


class ScaledAfterwards(Distances):
    """Made on the device, and then changed: a result of an operation, even on the CPU."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = 2 * nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones((), device=device))


class PlainLeaves(Distances):
    """Leaves that require a gradient, but no Parameters."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = torch.eye(classes, features).to(device).requires_grad_()
        self.temperature = torch.ones((), device=device, requires_grad=True)


class Buffers(Distances):
    """They move and are saved, and nothing trains them."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.register_buffer("centres", torch.eye(classes, features, device=device))
        self.register_buffer("temperature", torch.ones((), device=device))


class AlwaysOnCuda(Distances):
    """The argument is not asked."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features)).cuda()
        self.temperature = nn.Parameter(torch.ones(())).cuda()


class RegisteredCopy(Distances):
    """`register_parameter` refuses the moved copy."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        centres = nn.Parameter(torch.eye(classes, features))
        self.register_parameter("centres", centres.double().float())
        self.register_parameter("temperature", nn.Parameter(torch.ones((), device=device)))


class Detached(Distances):
    """A leaf again, but still no Parameter."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features)).to(device).detach()
        self.temperature = nn.Parameter(torch.ones((), device=device))


class AsksForTheDefault(Distances):
    """`None` is replaced by the default device, as the caller set it."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        if device is None:
            device = torch.get_default_device()
        self.centres = nn.Parameter(torch.eye(classes, features).to(device))
        self.temperature = nn.Parameter(torch.ones(()).to(device))


class InAContext(Distances):
    """The default device is another one inside a `with`, and nowhere else."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        with torch.device(device or torch.get_default_device()):
            self.centres = nn.Parameter(torch.eye(classes, features))
            self.temperature = nn.Parameter(torch.ones(()))


class NoneIsTheCpu(Distances):
    """The caller's default device is not asked."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        device = device or "cpu"
        self.centres = nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones((), device=device))


class DefaultsToTheCpu(Distances):
    """The same in the signature."""

    def __init__(self, features, classes, device="cpu"):
        super().__init__()
        self.centres = nn.Parameter(torch.eye(classes, features, device=device))
        self.temperature = nn.Parameter(torch.ones((), device=device))


class SetsTheDefault(Distances):
    """From here on, everything in the program is made on that device."""

    def __init__(self, features, classes, device=None):
        super().__init__()
        if device is not None:
            torch.set_default_device(device)
        self.centres = nn.Parameter(torch.eye(classes, features))
        self.temperature = nn.Parameter(torch.ones(()))


class SetsTheDefaultInForward(MovedThenWrapped):
    """The program's default device changes with the first call."""

    def forward(self, x):
        torch.set_default_device(self.centres.device)
        return super().forward(x)


ACCEPTED = (
    "MovedThenWrapped",
    "ModuleMovedLast",
    "FactoryArguments",
    "RegisteredByName",
    "AsksForTheDefault",
    "InAContext",
)
ALSO_RIGHT = {
    "nn.Parameter(torch.eye(classes, features).to(device))": "MovedThenWrapped",
    "self.to(device)": "ModuleMovedLast",
}
MISTAKES = {
    "OnTheMachinesGpu": "hard-coded-device",
    "OnlyTheCentres": "moved-before-registration",
    "ScaledAfterwards": "moved-before-registration",
    "PlainLeaves": "member-tensor",
    "Buffers": "parameter-or-buffer",
    "AlwaysOnCuda": "moved-before-registration",
    "RegisteredCopy": "moved-before-registration",
    "Detached": "member-tensor",
    "NoneIsTheCpu": "check placement",
    "DefaultsToTheCpu": "check placement",
    "SetsTheDefault": "check forward",
    "SetsTheDefaultInForward": "check forward",
}
