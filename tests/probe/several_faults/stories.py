"""Faults whose line is easily found, and whose story is not: whose tensor it is, and since when."""

from __future__ import annotations

import torch
from torch import nn

Part = nn.Module  # of which there is no test


class ClearedCache(nn.Module):
    """What a call keeps for its own time is no cache."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.mask = None

    def forward(self, x):
        if self.mask is None:
            self.mask = torch.tril(torch.ones(8, 8))  # fault: made-in-forward
        x = self.out(x) @ self.mask
        self.mask = None
        return x


class FirstCall(nn.Module):
    """Works if it is moved before it is called."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.table = None

    def forward(self, x):
        if self.table is None:
            self.table = torch.arange(8, device=x.device) / 10  # fault: stale-device
        return self.out(x) + self.table


class SteppedAtFirst(nn.Module):
    """Builds its optimizer at the first call, and steps it in each."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.optimizer = None

    def forward(self, x):
        if self.optimizer is None:
            self.optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        self.out(x).square().mean().backward()
        self.optimizer.step()  # fault: stale-optimizer
        return self.out(x)


class RememberedInAWith(nn.Module):
    """The device of a block is that of the `with` around it."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.device = torch.device("cpu")

    def forward(self, x):
        with torch.device(self.device):  # fault: stale-device
            positions = torch.arange(8)
        return self.out(x) + positions


class Stays(nn.Module):
    """Its output is made from weights that its `to` leaves where they are."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)

    def to(self, *args, **kwargs):  # fault: to-override
        return self

    def forward(self, x):
        return self.out(x.cpu())  # fault: hard-coded-device


class Frozen(Part):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.device = torch.device("cpu")

    def to(self, *args, **kwargs):  # fault: to-override
        return self

    def forward(self, x):
        return self.out(x.to(self.device))


class Student(nn.Module):
    """A child keeps its own device, and its `to` sees to it."""

    def __init__(self):
        super().__init__()
        self.teacher = Frozen()
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        return self.out(x) + self.teacher(x)


def normed(features, device=None):
    return nn.LayerNorm(features)


def block(features, device=None):
    return nn.Sequential(nn.Linear(features, features), normed(features))


class LostOnTheWay(nn.Module):
    """Two helpers take a device, and are given none."""

    def __init__(self, device=None):
        super().__init__()
        self.embed = nn.Linear(8, 8, device=device)
        self.block = block(8)  # fault: device-ignored

    def forward(self, x):
        return self.block(self.embed(x))


class Block(nn.Module):
    def __init__(self, features, device="cpu"):
        super().__init__()
        self.out = nn.Linear(features, features, device=device)

    def forward(self, x):
        return self.out(x)


class LostInAChild(nn.Module):
    """The child hands its device on, and is given none."""

    def __init__(self, device="cpu"):
        super().__init__()
        self.embed = nn.Linear(8, 8, device=device)
        self.block = Block(8)  # fault: device-ignored

    def forward(self, x):
        return self.block(self.embed(x))


def stacked(features):
    return nn.Sequential(nn.Linear(features, features), nn.ReLU())


class TakesNone(nn.Module):
    """A helper that takes no device."""

    def __init__(self, device=None):
        super().__init__()
        self.embed = nn.Linear(8, 8, device=device)
        self.block = stacked(8)  # fault: device-ignored

    def forward(self, x):
        return self.block(self.embed(x))


class FilledByAMethod(nn.Module):
    """A method that may run again assigns what `__init__` does not declare."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.reset()
        self.reset()

    def reset(self):
        self.scale = torch.linspace(0, 1, 8)  # fault: member-tensor

    def forward(self, x):
        return self.out(x) * self.scale


class Declared(nn.Module):
    """A method assigns what `__init__` declares as None."""

    def __init__(self):
        super().__init__()
        self.scale = None
        self.out = nn.Linear(8, 8)
        self.reset()

    def reset(self):
        self.scale = torch.linspace(0, 1, 8)  # fault: member-tensor

    def forward(self, x):
        return self.out(x) * self.scale


class Prompts(nn.Module):
    """Tensors that are trained, and no Parameters."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        prompts = (torch.randn(8, requires_grad=True) for _ in range(3))
        self.prompts = list(prompts)  # fault: python-container

    def forward(self, x):
        return self.out(x + sum(self.prompts))


class Tail(Part):
    def forward(self, x):
        return x + torch.ones(8)  # fault: device-mismatch


class Scripted(nn.Module):
    """TorchScript names the line in which it stops."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.tail = torch.jit.script(Tail())

    def forward(self, x):
        return self.tail(self.out(x))


class Traced(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 8)
        self.tail = torch.jit.trace(Tail(), torch.randn(4, 8))

    def forward(self, x):
        return self.tail(self.out(x))
