"""An audit builds and calls a module no more often than its questions need."""

from collections import Counter

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.schema.report import Report

COUNTS: Counter[str] = Counter()


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


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
    """A call in train mode changes its buffers."""

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


class PadsWhatIsShort(Counted):
    """In eval mode it fills a short batch with rows on the CPU."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training and len(x) < 4:
            x = torch.cat([x, torch.zeros(4 - len(x), 4)])
        return super().forward(x)


class Names(Counted):
    """Names a GPU."""

    def __init__(self, gpu: str) -> None:
        super().__init__()
        self.gpu = gpu

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.to(self.gpu) if x.is_cuda else x)


@pytest.fixture(autouse=True)
def _from_nought() -> None:
    COUNTS.clear()


@pytest.mark.parametrize("cls", [Counted, Normalised, Rounding])
def test_a_plain_module_is_asked_one_question_at_a_time(cls: type[Counted]) -> None:
    report = audit(cls, torch.randn(4, 4) + 3)
    assert (report.verdict, report.findings) == ("passed", ())
    assert COUNTS["built"] == 6  # called first, moved first, moved, trained, reloaded, on CUDA
    # Twice on the CPU, at each stop, thrice on CUDA, a replica, in training on the CPU and on CUDA.
    assert COUNTS["called"] == 2 + 3 + 3 + 1 + 2 + 1


class Follows(Counted):
    """Before each step, its teacher takes over what the step before it changed."""

    def __init__(self) -> None:
        super().__init__()
        self.teacher = [nn.Linear(4, 4).requires_grad_(False)]
        self.teacher[0].load_state_dict(self.layer.state_dict())

    @torch.no_grad()
    def follow(self) -> None:
        self.teacher[0].to(self.layer.weight.device)
        for slow, fast in zip(self.teacher[0].parameters(), self.layer.parameters(), strict=True):
            slow.lerp_(fast, 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.follow()
        return super().forward(x) - self.teacher[0].to(x.device)(x)


class WarmsUp(Counted):
    """Its first step in train mode only sets a flag; from the second on it keeps a mean."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = 0.0
        self.add_flag()

    def add_flag(self) -> None:
        self.register_buffer("is_ready", torch.tensor(0.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training and self.is_ready:
            self.mean = x.mean().item()
        elif self.training:
            self.is_ready.fill_(1.0)
        return super().forward(x) - self.mean


class WarmsUpByAParameter(WarmsUp):
    def add_flag(self) -> None:
        self.is_ready = nn.Parameter(torch.tensor(0.0), requires_grad=False)


@pytest.mark.parametrize("cls", [Follows, WarmsUp, WarmsUpByAParameter])
def test_what_only_the_second_step_shows_is_seen(cls: type[Counted]) -> None:
    assert "lost-from-checkpoint" in codes(audit(cls, torch.randn(4, 4) + 3))


def test_half_a_batch_is_asked_for_in_eval_mode() -> None:
    assert audit(PadsWhatIsShort, torch.randn(4, 4)).verdict == "failed"


@pytest.mark.parametrize("batch", [4, 1])
@pytest.mark.parametrize("gpu", ["cuda", "cuda:0", "cuda:1"])
def test_code_that_names_a_gpu_is_called_on_the_other(gpu: str, batch: int) -> None:
    assert audit(lambda: Names(gpu), torch.randn(batch, 4)).verdict == "failed"


def test_numbers_that_differ_before_any_move_need_no_calls_without_a_move() -> None:
    audit(Noisy, torch.randn(4, 4))
    assert (COUNTS["built"], COUNTS["called"]) == (6, 13)


def test_the_same_calls_are_made_without_a_move_only_if_more_than_rounding_differs() -> None:
    audit(Other, torch.randn(4, 4))
    assert (COUNTS["built"], COUNTS["called"]) == (7, 13 + 4)


@pytest.mark.parametrize(("cls", "count"), [(WithTable, 7 + 6), (WithOptimizer, 7)])
def test_one_more_is_built_where_there_is_a_reason(cls: type[Counted], count: int) -> None:
    """Of the first, six more to try its fix."""
    audit(cls, torch.randn(4, 4))
    assert COUNTS["built"] == count
