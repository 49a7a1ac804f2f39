"""Modules whose constructor puts their parts on two GPUs: called where they are."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


class Split(nn.Module):
    """As PyTorch's tutorial on model parallelism has it."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6).to("cuda:0")
        self.second = nn.Linear(6, 6).to("cuda:1")

    def forward(self, x):
        return self.second(self.first(x.to("cuda:0")).relu().to("cuda:1"))


class ByPart(Split):
    """Asks each part where it is, and is given inputs on the first GPU."""

    def forward(self, x):
        hidden = self.first(x)
        return self.second(hidden.to(self.second.weight.device))


class Skipping(ByPart):
    def forward(self, x):
        return super().forward(x) + x.to(self.second.weight.device)


class OfMode(ByPart):
    def train(self, mode):
        super().train(mode)


@pytest.mark.parametrize("make", [Split, ByPart, Skipping, OfMode])
def test_one_that_brings_each_tensor_to_its_part_is_clean(make):
    report = audit(make, torch.randn(4, 6))

    assert (report.verdict, report.findings, report.left_out) == ("passed", (), ())
    assert "cuda:0 and cuda:1" in report.notes[0]


class NotBrought(Split):
    def forward(self, x):
        return self.second(self.first(x.to("cuda:0")))


class SkippingWrong(ByPart):
    def forward(self, x):
        return super().forward(x) + self.first(x)


class TrainedWrong(ByPart):
    def forward(self, x):
        hidden = self.first(x)
        return super().forward(x) + hidden if self.training else super().forward(x)


class Buffered(ByPart):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(6))

    def forward(self, x):
        return super().forward(x) * self.scale


class Plain(ByPart):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(6)

    def forward(self, x):
        return super().forward(x) * self.scale


class Made(ByPart):
    def forward(self, x):
        return super().forward(x) * torch.ones(6)


@pytest.mark.parametrize(
    ("make", "code", "line_has"),
    [
        (NotBrought, "device-mismatch", 'self.first(x.to("cuda:0"))'),
        (SkippingWrong, "device-mismatch", "+ self.first(x)"),
        (TrainedWrong, "device-mismatch", "+ hidden"),
        (Buffered, "device-mismatch", "* self.scale"),
        (Plain, "member-tensor", "torch.ones(6)"),
        (Made, "made-in-forward", "torch.ones(6)"),
    ],
)
def test_one_that_mixes_devices_is_told_the_line(make, code, line_has):
    (found,) = audit(make, torch.randn(4, 6)).findings

    assert (found.code, found.severity) == (code, "error")
    assert line_has in found.source_line
    if make is Buffered:
        assert "`self.scale` is on the CPU" in found.message


class Failing(ByPart):
    def forward(self, x):
        raise KeyError("anything")


def test_what_fails_for_no_known_reason_is_not_clean():
    report = audit(Failing, torch.randn(4, 6))

    assert (report.verdict, report.exit_code) == ("cannot_grade", 2)
    assert "KeyError" in report.message


def test_without_inputs_it_is_not_moved_either():
    assert audit(Split).findings == ()
