"""Tensors that share memory until a move, and Parameters that are none."""

import pytest
import torch
from torch import nn

from grader.auditing import audit


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


@pytest.mark.parametrize("make", [Average, Statistics])
def test_what_a_move_parts_and_training_changes_is_an_error(make):
    assert codes(make) == ["tied-weights"]


@pytest.mark.parametrize("make", [AverageOfItsOwn, Rebound, Constants])
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
