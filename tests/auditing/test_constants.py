"""Plain tensors that an audit notes and does not warn of, and those of which it does."""

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.schema.report import Report

NOTED = "Constants on the CPU wherever the module is: `self.window`."


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def to_device(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return tensor.to(like.device, like.dtype)


class Spectrum(nn.Module):
    """A loss's window, which each call moves, as in auraloss."""

    def __init__(self) -> None:
        super().__init__()
        self.window = torch.hann_window(64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.rfft(x * self.window.to(x.device)).abs()


class KeepsTheMoved(Spectrum):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.window = self.window.to(x.device)
        return super().forward(x)


class MovedByAHelper(Spectrum):
    def __init__(self) -> None:
        super().__init__()
        self.window = torch.arange(64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.window = to_device(self.window, x)
        return super().forward(x)


class BuiltInAMethod(Spectrum):
    def __init__(self) -> None:
        super().__init__()
        self.build(64)

    def build(self, length: int) -> None:
        self.window = torch.blackman_window(length)


class Indices(Spectrum):
    """Indices of the CPU work on a tensor of CUDA."""

    def __init__(self) -> None:
        super().__init__()
        self.window = torch.arange(0, 64, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, self.window]


@pytest.mark.parametrize("make", [Spectrum, KeepsTheMoved, MovedByAHelper, BuiltInAMethod, Indices])
def test_a_constant_that_calls_bring_along_is_a_note(make: type[nn.Module]) -> None:
    report = audit(make, torch.randn(2, 64))

    assert codes(report) == []
    assert report.notes[0].startswith(NOTED)


class Resolutions(nn.Module):
    """A window for each resolution, in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.windows = [torch.hann_window(64), torch.hamming_window(64)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack([x * window.to(x.device) for window in self.windows])


def test_constants_in_a_list_are_a_note() -> None:
    report = audit(Resolutions, torch.randn(2, 64))

    assert codes(report) == []
    assert "`self.windows[0]`, `self.windows[1]`" in report.notes[0]


class Drawn(Spectrum):
    """A projection that no checkpoint has, and no constructor draws again."""

    def __init__(self) -> None:
        super().__init__()
        self.window = torch.randn(64)


class Running(Spectrum):
    """Statistics that only training changes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.window.lerp_(x.detach().mean(dim=0).to(self.window.device), 0.1)
        return super().forward(x)


class ThroughAnotherName(Spectrum):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        window = self.window
        if self.training:
            window *= 0.9
        return super().forward(x)


OF_THE_FILE = torch.ones(64)


class Shared(Spectrum):
    """All instances hold one tensor, and a helper of the file changes it."""

    def __init__(self) -> None:
        super().__init__()
        self.window = OF_THE_FILE

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        advance(OF_THE_FILE)
        return torch.zeros_like(x) + 0 * self.window.to(x.device)


def advance(window: torch.Tensor) -> None:
    window.add_(1)


class ByATrainingLoop(Spectrum):
    """What a loop calls after each epoch."""

    def sharpen(self) -> None:
        self.window = self.window.square()


class InPlaceByATrainingLoop(Spectrum):
    def sharpen(self) -> None:
        self.window[1:].mul_(0.9)


class ByAPart(Spectrum):
    def sharpen(self) -> None:
        self.window[0], self.epoch = 0.0, 1


class Augmented(Spectrum):
    def sharpen(self) -> None:
        self.window += 1


@pytest.mark.parametrize(
    "make", [Drawn, Shared, ByATrainingLoop, InPlaceByATrainingLoop, ByAPart, Augmented]
)
def test_what_a_checkpoint_would_lose_is_a_warning(make: type[nn.Module]) -> None:
    report = audit(make, torch.randn(2, 64))

    assert [(f.code, f.severity) for f in report.findings] == [("member-tensor", "warning")]


@pytest.mark.parametrize("make", [Running, ThroughAnotherName])
def test_what_a_checkpoint_has_been_seen_to_lose_is_an_error(make: type[nn.Module]) -> None:
    assert codes(audit(make, torch.randn(2, 64))) == ["lost-from-checkpoint"]


def test_nobody_knows_how_an_instance_came_by_its_values() -> None:
    """Copies of one instance hold the same, however it was made."""
    assert codes(audit(Spectrum, torch.randn(2, 64))) == []
    assert codes(audit(Spectrum(), torch.randn(2, 64))) == ["member-tensor"]


class Guarded(Spectrum):
    """Cannot be trained on such inputs, so nobody saw what training changes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            raise ValueError("pass the targets as well")
        return super().forward(x)


def test_without_a_call_in_train_mode_the_warning_stays() -> None:
    assert codes(audit(Guarded, torch.randn(2, 64))) == ["member-tensor"]


class Mixing(Spectrum):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.window


def test_without_a_call_a_constant_is_a_note_where_its_class_moves_it() -> None:
    assert codes(audit(Spectrum)) == []
    assert codes(audit(Mixing)) == ["member-tensor"]


def test_a_constant_that_no_call_brings_along_is_an_error() -> None:
    report = audit(Mixing, torch.randn(2, 64))

    assert [(f.code, f.severity) for f in report.findings] == [("member-tensor", "error")]
    assert report.notes == ()
