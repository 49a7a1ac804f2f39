"""Modules whose constructor takes a device: which can be called where they were built."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


def codes(make) -> list[str]:
    return [finding.code for finding in audit(make, torch.randn(4, 6)).findings]


class Masked(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.layer = nn.Linear(6, 6, device=device)
        self.register_buffer("mask", torch.ones(6, 6).tril())

    def forward(self, x):
        return self.layer(x) @ self.mask


class ForgetsALayer(nn.Module):
    def __init__(self, device=None, dtype=None):
        super().__init__()
        self.layer = nn.Linear(6, 6, device=device, dtype=dtype)
        self.norm = nn.LayerNorm(6)

    def forward(self, x):
        return self.norm(self.layer(x))


@pytest.mark.parametrize("make", [Masked, ForgetsALayer])
def test_a_registered_tensor_left_on_the_cpu_is_an_error(make):
    assert codes(make) == ["device-ignored"]


class MovesItself(ForgetsALayer):
    def __init__(self, device="cpu"):
        super().__init__()
        self.to(device)


class MovedInForward(Masked):
    """Keeps its table where it was made, and takes it along."""

    def forward(self, x):
        return self.layer(x) @ self.mask.to(x.device)


class ReadOnTheHost(Masked):
    """A size that the CPU asks for."""

    def __init__(self, device=None):
        super().__init__(device)
        del self.mask
        self.register_buffer("size", torch.tensor([3]))

    def forward(self, x):
        return self.layer(x)[: int(self.size[0])]


class Remembers(nn.Module):
    """Brings observations to its device, and leaves it to its owner to move the rest there."""

    def __init__(self, device="cpu"):
        super().__init__()
        self.device = device
        self.policy = nn.Linear(6, 2)

    def act(self, observation):
        return self(torch.as_tensor(observation, device=self.device))

    def forward(self, x):
        return self.policy(x)


class OnADevice(nn.Module):
    """Takes a device, and registers nothing."""

    def __init__(self, device="cpu"):
        super().__init__()
        self.device = torch.device(device)

    def forward(self, x):
        return x.cos()


@pytest.mark.parametrize("make", [MovesItself, MovedInForward, ReadOnTheHost, Remembers, OnADevice])
def test_one_that_works_there_is_clean(make):
    assert codes(make) == []


class Masking(nn.Module):
    """Changes its weight while it is built, by a mask that is elsewhere."""

    def __init__(self, device=None):
        super().__init__()
        self.layer = nn.Linear(6, 6, device=device)
        mask = self.mask(device)
        self.layer.weight.data = self.layer.weight.data * mask

    def mask(self, device):
        return torch.eye(6)

    def forward(self, x):
        return self.layer(x)


class MaskingThere(Masking):
    def mask(self, device):
        return torch.eye(6, device=device)


def test_a_constructor_that_mixes_devices_is_told_the_tensor_that_it_makes():
    (found,) = audit(Masking, torch.randn(4, 6)).findings

    assert (found.code, found.where) == ("device-ignored", "torch.eye")
    assert found.fix == "Pass the device on (tried): `return torch.eye(6, device=device)`."
    assert codes(MaskingThere) == []
