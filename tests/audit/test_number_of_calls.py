"""An audit builds and calls a module no more often than its questions need."""

from collections import Counter

import pytest
import torch
from torch import nn

from grader.auditing import audit

COUNTS: Counter[str] = Counter()


class Counted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        COUNTS["built"] += 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        COUNTS["called"] += 1
        return self.layer(x)


class WithTable(Counted):
    """Its Parameter is a table of sines and cosines, which may be a constant."""

    def __init__(self) -> None:
        super().__init__()
        angles = torch.arange(6.0)[:, None] / torch.tensor([1.0, 10.0])
        self.table = nn.Parameter(torch.cat((angles.sin(), angles.cos()), dim=1))


class WithOptimizer(Counted):
    def __init__(self) -> None:
        super().__init__()
        self.optimizer = torch.optim.SGD(self.layer.parameters(), 0.1)


class Normalised(Counted):
    """A replica with the statistics of a call in train mode would give other numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(self.norm(x))


class Rounding(Counted):
    """Adds in another order on CUDA, as many a reduction does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * (1 + 1e-6 * x.is_cuda)


class Other(Counted):
    """Gives other numbers on CUDA, in the next calls too."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) + x.is_cuda


class Noisy(Counted):
    """Draws noise from a generator that no seed of ours sets."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = torch.Generator()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x + torch.rand(x.shape, generator=self.generator).to(x.device))


@pytest.fixture(autouse=True)
def _from_nought() -> None:
    COUNTS.clear()


class Remembers(Counted):
    """Its training leaves what no checkpoint brings back, though no output shows it."""

    last: torch.Tensor | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.last = super().forward(x)
        return self.last


def test_a_plain_module_is_built_for_four_questions_and_called_for_ten() -> None:
    assert audit(Counted, torch.randn(4, 4)).verdict == "passed"
    assert COUNTS["built"] == 4  # called first, moved first, trained, reloaded
    assert COUNTS["called"] == 1 + 3 + 3 + 1 + 2


def test_what_a_call_in_train_mode_may_have_changed_is_not_replicated() -> None:
    report = audit(Normalised, torch.randn(4, 4) + 3)
    assert (report.verdict, report.findings) == ("passed", ())
    assert COUNTS["built"] == 5  # the replica's is another


def test_a_reloaded_module_is_called_if_it_does_not_hold_all_that_the_trained_one_does() -> None:
    assert audit(Remembers, torch.randn(4, 4)).verdict == "passed"
    assert COUNTS["called"] == 2 + 3 + 3 + 1 + 2 + 4


def test_numbers_that_differ_before_any_move_need_no_calls_without_a_move() -> None:
    audit(Noisy, torch.randn(4, 4))
    assert (COUNTS["built"], COUNTS["called"]) == (5, 12)


def test_the_same_calls_are_made_without_a_move_only_if_more_than_rounding_differs() -> None:
    audit(Rounding, torch.randn(4, 4))
    assert (COUNTS["built"], COUNTS["called"]) == (4, 10)
    COUNTS.clear()
    audit(Other, torch.randn(4, 4))
    assert (COUNTS["built"], COUNTS["called"]) == (5, 10 + 1 + 3)


@pytest.mark.parametrize("cls", [WithTable, WithOptimizer])
def test_one_more_is_built_where_there_is_a_reason(cls: type[Counted]) -> None:
    audit(cls, torch.randn(4, 4))
    assert COUNTS["built"] == 5
