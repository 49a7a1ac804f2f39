"""What an audit must not call lost from a checkpoint."""

from collections.abc import Callable

import numpy
import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.schema.report import Report


def codes(report: Report) -> list[str]:
    assert report.verdict in ("passed", "failed"), report.message
    return [finding.code for finding in report.findings]


class SpecAugment(nn.Module):
    """Replaces time steps by a trained vector; NumPy says which, as in transformers' Wav2Vec2."""

    def __init__(self) -> None:
        super().__init__()
        self.masked = nn.Parameter(torch.empty(4).uniform_())
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            steps = torch.from_numpy(numpy.random.rand(len(x)) < 0.5).to(x.device)
            x = torch.where(steps[:, None], self.masked, x)
        return self.layer(x)


def test_masks_that_numpy_draws_lose_nothing_from_a_checkpoint():
    for _ in range(3):  # each with a seed of its own
        assert codes(audit(SpecAugment, torch.randn(6, 4))) == []


class MeanOfFirst(nn.Module):
    """Divides by the size of the first batch, which nobody needs to save."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.size = nn.Linear(4, 4), 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.size = self.size or len(x)
        return self.layer(x).sum(dim=0) / self.size


class Ramp(nn.Module):
    """A table with as many rows as the first batch, made in the first call."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("ramp", None, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.ramp is None:
            self.ramp = torch.linspace(0, 1, len(x), device=x.device)[:, None]
        return self.layer(x) * self.ramp[: len(x)]


class FirstMean(Ramp):
    """Keeps what it measured in the first call, and forgets it in a checkpoint."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.ramp is None:
            self.ramp = x.detach().mean(dim=0)
        return self.layer(x - self.ramp)


@pytest.mark.parametrize("make", [MeanOfFirst, Ramp])
def test_a_size_that_the_first_batch_gives_is_not_lost(make: Callable[[], nn.Module]):
    assert "lost-from-checkpoint" not in codes(audit(make, torch.randn(6, 4)))


def test_numbers_that_the_first_batch_gives_are_lost():
    assert "lost-from-checkpoint" in codes(audit(FirstMean, torch.randn(6, 4)))
