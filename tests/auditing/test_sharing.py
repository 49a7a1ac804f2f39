"""Tensors that share memory until a move, and Parameters that are none."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


def codes(make) -> list[str]:
    return [finding.code for finding in audit(make, torch.randn(4, 6)).findings]


class Average(nn.Module):
    """Its buffer is the weight's own memory, so that it follows training, until it moves."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6))
        self.register_buffer("average", self.start())

    def start(self):
        return self.weight.data

    def forward(self, x):
        return x * self.weight + self.average


class AverageOfItsOwn(Average):
    def start(self):
        return self.weight.data.clone()


class Statistics(nn.Module):
    """Writes to one name, and reads the other."""

    def __init__(self):
        super().__init__()
        self.layer, zeros = nn.Linear(6, 6), torch.zeros(6)
        self.register_buffer("running", zeros)
        self.register_buffer("mean", zeros)

    def forward(self, x):
        hidden = self.layer(x)
        if self.training:
            self.running += hidden.detach().mean(0)
        return hidden - self.mean


class Rebound(Statistics):
    """On the CPU, too, the two part in the first call."""

    def forward(self, x):
        hidden = self.layer(x)
        if self.training:
            self.running = self.running + hidden.detach().mean(0)
        return hidden - self.mean


class Constants(Statistics):
    """One table under two names, which nobody writes to."""

    def forward(self, x):
        return self.layer(x) * self.running + self.mean


class Twice(nn.Module):
    """Two Parameters over one memory."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6))
        self.head = nn.Parameter(self.weight.data)

    def forward(self, x):
        return x * self.weight


class TwiceAndRead(Twice):
    def forward(self, x):
        return super().forward(x) + self.head


@pytest.mark.parametrize("make", [Average, Statistics, TwiceAndRead])
def test_what_a_move_parts_and_training_changes_is_an_error(make):
    assert codes(make) == ["tied-weights"]


@pytest.mark.parametrize("make", [AverageOfItsOwn, Rebound, Constants, Twice])
def test_what_was_never_one_or_never_changes_is_right(make):
    assert "tied-weights" not in codes(make)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.register_scale(nn.Parameter(torch.ones(6)))

    def register_scale(self, scale):
        self._parameters["scale"] = scale * 2

    def forward(self, x):
        return self.layer(x) * self.scale


class ScaledLeaf(Scaled):
    def register_scale(self, scale):
        self._parameters["scale"] = nn.Parameter(scale.detach() * 2)


def test_a_registered_parameter_that_is_no_leaf_is_an_error():
    assert codes(Scaled) == ["moved-before-registration"]
    assert codes(ScaledLeaf) == []


class SecondName(nn.Module):
    """Writes to a buffer, and reads it under another name, which a move leaves behind."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.register_buffer("running", torch.zeros(6))
        self.mean = self.running

    def forward(self, x):
        hidden = self.layer(x)
        if self.training:
            self.running += hidden.detach().mean(0)
        return hidden - self.read(x)

    def read(self, x):
        return self.mean.to(x.device)


class SecondNameWritten(SecondName):
    """The other way round."""

    def forward(self, x):
        hidden = self.layer(x)
        if self.training:
            self.mean += hidden.detach().mean(0).to(self.mean.device)
        return hidden - self.running


class SecondNameOfAChild(SecondName):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
        self.mean = self.norm.running_mean

    def forward(self, x):
        return self.norm(self.layer(x)) - self.read(x)


class SetAgain(SecondName):
    """Sets the second name to the buffer in each call."""

    def forward(self, x):
        self.mean = self.running
        return super().forward(x)


class Start(SecondName):
    """Keeps where it began: what it writes is another tensor, on the CPU too."""

    def forward(self, x):
        hidden = self.layer(x)
        if self.training:
            self.running = self.running + hidden.detach().mean(0)
        return hidden - self.running + self.read(x)


class NeverRead(SecondName):
    def read(self, x):
        return self.running


class Property(SecondName):
    def __init__(self):
        super().__init__()
        del self.mean

    def __getattr__(self, name):
        return self.running if name == "mean" else super().__getattr__(name)


class Constant(SecondName):
    def forward(self, x):
        return self.layer(x) - self.read(x) - self.running


@pytest.mark.parametrize("make", [SecondName, SecondNameWritten, SecondNameOfAChild])
def test_a_second_name_that_a_move_parts_from_its_buffer_is_an_error(make):
    (found,) = audit(make, torch.randn(4, 6)).findings

    assert (found.code, found.where, found.severity) == ("member-tensor", "self.mean", "error")
    assert "self.mean" in found.source_line
    assert "property" in found.fix


@pytest.mark.parametrize("make", [SetAgain, Start, NeverRead, Property, Constant])
def test_a_second_name_that_follows_or_does_no_harm_is_right(make):
    assert "member-tensor" not in codes(make)
