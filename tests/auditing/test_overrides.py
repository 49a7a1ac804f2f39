"""Children that override how they move: by `to`, which no parent calls, or by `_apply`."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


class Window(nn.Module):
    """Keeps a plain tensor, and moves it in its own `to`."""

    def __init__(self):
        super().__init__()
        self.window = torch.hann_window(6)

    def to(self, *args, **kwargs):
        super().to(*args, **kwargs)
        self.window = self.window.to(*args, **kwargs)
        return self

    def forward(self, x):
        return x * self.window


class Forgetful(nn.Module):
    """Takes its plain tensor along, and forgets what PyTorch would move."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(6))
        self.window = torch.hann_window(6)

    def _apply(self, fn, recurse=True):
        self.window = fn(self.window)
        return self

    def forward(self, x):
        return x * self.window * self.scale


class Pinned(nn.Module):
    """A frozen layer that is not to move, and whose input nobody brings to it."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(6))

    def _apply(self, fn, recurse=True):
        return self

    def forward(self, x):
        return x * self.weight


class OfMode(nn.Linear):
    """Its `train` has no default and returns nothing; PyTorch itself always says which mode."""

    def __init__(self, device=None):
        super().__init__(6, 6, device=device)

    def train(self, mode):
        super().train(mode)


class OfModeCounts(OfMode):
    """Each call changes it, so that no instance can stand for another."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
        self.table = [torch.ones(6)]

    def forward(self, x):
        return self.norm(super().forward(x))


class OfModeTwice(OfModeCounts):
    """Its buffer has a second name, which no move takes along."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(6))
        self.seen = self.total

    def forward(self, x):
        self.seen += x.detach().sum(0).cpu()
        return super().forward(x) + self.seen.to(x.device)


class Whole(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.layer, self.part = nn.Linear(6, 6), part()

    def forward(self, x):
        return self.part(self.layer(x))


def errors(part):
    report = audit(lambda: Whole(part), torch.randn(4, 6))
    return [(e.code, e.where) for e in report.findings if e.severity == "error"]


@pytest.mark.parametrize(
    ("part", "method"), [(Window, "to"), (Forgetful, "_apply"), (Pinned, "_apply")]
)
def test_the_method_that_leaves_something_behind_is_blamed_for_it(part, method):
    assert errors(part) == [("to-override", f"self.part.{method}")]


def test_what_the_method_would_have_moved_is_told_once():
    (found,) = audit(lambda: Whole(Window), torch.randn(4, 6)).findings

    assert "`self.part.window` stays behind" in found.message


class Thorough(Forgetful):
    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        return nn.Module._apply(self, fn, recurse)


class Offloaded(Pinned):
    """Stays on the CPU on purpose: inputs come to it, results go back."""

    def forward(self, x):
        return super().forward(x.cpu()).to(x.device)


class Registered(Window):
    """Overrides `to` for no more than to say so."""

    def __init__(self):
        super().__init__()
        window = self.window
        del self.window
        self.register_buffer("window", window)

    def to(self, *args, **kwargs):
        self.moves = getattr(self, "moves", 0) + 1
        return nn.Module.to(self, *args, **kwargs)


@pytest.mark.parametrize("part", [Thorough, Offloaded, Registered])
def test_an_override_that_leaves_nothing_behind_is_right(part):
    assert errors(part) == []


class Unmoved(Window):
    """Its `to` does something else; the tensor is nobody's."""

    def to(self, *args, **kwargs):
        self.device = args[0]
        return nn.Module.to(self, *args, **kwargs)


def test_a_tensor_that_the_method_does_not_move_is_not_its_fault():
    assert errors(Unmoved) == [("member-tensor", "self.part.window")]


class Draws(nn.Module):
    """Keeps its device up to date in `_apply`; its draws are on the CPU for another reason."""

    def __init__(self):
        super().__init__()
        self.device = torch.device("cpu")
        self.weight = nn.Parameter(torch.ones(1))

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.device = fn(torch.zeros(())).device
        return self

    def forward(self, x):
        device = torch.empty(0).device
        return x * self.weight + torch.rand(3).to(device=device)


@pytest.mark.parametrize("build", [Draws, lambda: nn.Sequential(Draws())])
def test_a_device_that_apply_keeps_up_to_date_is_not_blamed(build):
    report = audit(build(), torch.ones(2, 3), device="simulated")

    assert {finding.code for finding in report.findings} == {"made-in-forward"}


@pytest.mark.parametrize(
    ("cls", "codes"), [(OfMode, []), (OfModeCounts, []), (OfModeTwice, ["member-tensor"])]
)
def test_train_without_a_default_is_called_as_pytorch_calls_it(cls, codes):
    report = audit(cls, torch.randn(4, 6))

    assert ([finding.code for finding in report.findings], report.left_out) == (codes, ())
