"""What is blamed is where the device comes from, and not the last tensor that took it over."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)


class LikeNoise(Layer):
    def forward(self, x):
        noise = torch.randn(4, 6)  # here
        mask = torch.zeros_like(noise)
        mask[:, :2] = 1
        return self.layer(x) * mask


class NewFromSteps(Layer):
    def forward(self, x):
        steps = torch.arange(6.0)  # here
        return self.layer(x) + steps.new_zeros(4, 6)


class LikeTemplate(Layer):
    def __init__(self):
        super().__init__()
        self.template = torch.zeros(4, 6)  # here

    def forward(self, x):
        return self.layer(x) + torch.ones_like(self.template)


class MovesItselfBack(Layer):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")

    def forward(self, x):
        self.to(self.device)  # here
        return self.layer(x)


class MovesItselfToTheCpu(Layer):
    def forward(self, x):
        self.to("cpu")  # here
        return self.layer(x)


class PutOnCuda(Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("template", torch.zeros(4, 6).cuda())  # here

    forward = LikeTemplate.forward


class SecondName(Layer):
    """As transformers' rotary embeddings keep their first frequencies, to come back to them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", torch.arange(1.0, 7.0), persistent=False)
        self.original_inv_freq = self.inv_freq  # here

    def forward(self, x):
        if len(x) < 10:
            self.register_buffer("inv_freq", self.original_inv_freq, persistent=False)
        return self.layer(x) * self.inv_freq


class Recurrent(Layer):
    def __init__(self):
        super().__init__()
        self.state = None

    def forward(self, x):
        if self.state is None:
            self.state = torch.zeros(4, 6)
        self.state = (self.layer(x) + self.state).detach()  # here
        return self.state


@pytest.mark.parametrize(
    ("make", "code", "where"),
    [
        (LikeNoise, "made-in-forward", "torch.randn"),
        (NewFromSteps, "made-in-forward", "torch.arange"),
        (LikeTemplate, "member-tensor", "self.template"),
        (MovesItselfBack, "stale-device", "self.device"),
        (MovesItselfToTheCpu, "hard-coded-device", "self.layer.weight"),
        (lambda: PutOnCuda(), "hard-coded-device", "self.template"),
        (Recurrent, "stale-device", "self.state"),
        (SecondName, "member-tensor", "self.original_inv_freq"),
    ],
)
def test_the_cause_is_blamed(make, code, where):
    (found,) = audit(make, torch.randn(4, 6)).findings

    assert (found.code, found.where, found.severity) == (code, where, "error")
    assert "# here" in found.source_line
    if make is Recurrent:
        assert f"The first one is made in line {found.line - 1}, on the CPU" in found.message


class LikeInput(Layer):
    def forward(self, x):
        return self.layer(x) * torch.ones_like(x) + x.new_zeros(6)


class MovesItselfToTheInput(Layer):
    def forward(self, x):
        self.to(x.device)
        return self.layer(x)


class SecondNameMoved(SecondName):
    """The way transformers mends it."""

    def forward(self, x):
        self.original_inv_freq = self.original_inv_freq.to(x.device)
        return super().forward(x)


class SecondNameUnread(SecondName):
    def forward(self, x):
        return self.layer(x) * self.inv_freq


class SecondNameProperty(Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", torch.arange(1.0, 7.0))

    @property
    def original_inv_freq(self):
        return self.inv_freq

    forward = SecondName.forward


@pytest.mark.parametrize("make", [LikeInput, MovesItselfToTheInput, SecondNameMoved])
def test_what_follows_the_input_is_right(make):
    assert audit(make, torch.randn(4, 6)).findings == ()


@pytest.mark.parametrize("make", [SecondNameUnread, SecondNameProperty])
def test_a_second_name_that_does_no_harm_is_no_error(make):
    assert audit(make, torch.randn(4, 6)).verdict == "passed"
