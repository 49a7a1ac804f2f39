"""What an audit must not say of numbers that differ: calls, draws and training change them."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.schema.report import Report


def codes(report: Report) -> list[str]:
    assert report.verdict in ("passed", "failed"), report.message
    return [finding.code for finding in report.findings]


class Leaky(nn.Module):
    """A spiking neuron: it is silent for two calls, and fires in the third."""

    def __init__(self, threshold: float = 2.5) -> None:
        super().__init__()
        self.threshold = threshold
        self.register_buffer("membrane", torch.zeros(()), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.membrane = self.membrane + 1
        return (self.membrane > self.threshold) * x


class Centred(nn.Module):
    """DINO's centre: a moving average that every call changes a little more."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        loss = (x - self.centre).square().mean()
        self.centre = self.centre * 0.9 + x.mean(dim=0) * 0.1
        return loss


class Queue(nn.Module):
    """A memory of earlier batches, whose length counts."""

    def __init__(self, size: int = 40) -> None:
        super().__init__()
        self.register_buffer("queue", torch.zeros(size, 4))
        self.at = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        slots = torch.arange(self.at, self.at + len(x), device=x.device) % len(self.queue)
        self.queue[slots] = x.detach()
        self.at = (self.at + len(x)) % len(self.queue)
        return (x @ self.queue.t()).sum()


@pytest.mark.parametrize("make", [Leaky, Centred, Queue])
def test_state_that_every_call_changes_is_no_stale_device(make: type):
    assert codes(audit(make, torch.randn(6, 4) + 3)) == []


REST = torch.tensor(0.0)


class Resting(nn.Module):
    """A neuron whose first call begins at rest, a number that all neurons share, as in norse."""

    def __init__(self) -> None:
        super().__init__()
        self.step = partial(torch.lerp, end=REST)

    def forward(self, x: torch.Tensor, state: torch.Tensor | None = None) -> torch.Tensor:
        if state is None:
            state = self.step.keywords["end"]
            state.requires_grad = True
        return x.tanh() + state


def test_a_number_of_which_only_a_call_asks_for_a_gradient_is_not_trained():
    assert codes(audit(Resting, torch.randn(6, 4))) == []


class Exhausted(nn.Module):
    """Gives out after its first call, wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.left = [0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.left.pop()


class Augmented(nn.Module):
    """Flips half of the batches, as augmentations do."""

    def __init__(self, draw: Callable[[], float]) -> None:
        super().__init__()
        self.draw = draw

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.flip(-1) if self.draw() < 0.5 else x


@pytest.mark.parametrize("draw", [random.random, numpy.random.rand])
def test_what_is_drawn_without_torch_is_drawn_alike_on_every_device(draw: Callable[[], float]):
    for _ in range(5):  # each with a seed of its own
        assert codes(audit(lambda: Augmented(draw), torch.randn(2, 4))) == []


def test_a_call_that_fails_on_the_cpu_as_well_is_no_fault_of_a_move():
    report = audit(Exhausted, torch.randn(6, 4))

    assert codes(report) == []
    assert "It cannot be called often" in report.notes[0]


class Forgetting(nn.Module):
    """A move takes its scale away."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 2.0

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> nn.Module:
        self.scale = 1.0
        return super()._apply(fn, recurse)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def test_what_a_move_changes_for_good_is_still_found():
    assert codes(audit(Forgetting, torch.randn(6, 4))) == ["stale-device"]


class Approximate(nn.Module):
    """On CUDA it takes a faster way that gives other numbers, as kernels may."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.tanh() if x.is_cuda else x / (1 + x.abs())


def test_a_device_that_computes_otherwise_is_not_called_stale():
    assert codes(audit(Approximate, torch.randn(6, 4))) == []


class TrainsItself(nn.Module):
    """Adapts a prompt in every call, by gradient descent, and starts again from none."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        prompt = torch.zeros_like(x, requires_grad=True)
        loss = self.layer(x + prompt).square().mean()
        (gradient,) = torch.autograd.grad(loss, prompt)
        return self.layer(x - gradient)


class TrainsItselfWrong(TrainsItself):
    def __init__(self) -> None:
        super().__init__()
        self.rate = torch.full((4,), 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * self.rate


def test_a_forward_that_trains_is_called_with_gradients():
    assert codes(audit(TrainsItself, torch.randn(6, 4))) == []
    assert codes(audit(TrainsItselfWrong, torch.randn(6, 4))) == ["member-tensor"]


OF_THE_FILE = torch.Generator().manual_seed(0)


def _own(x: torch.Tensor, state: dict[str, Any]) -> torch.Tensor:
    return torch.randn(x.shape, generator=state["own"]).to(x.device)


def _of_the_file(x: torch.Tensor, state: dict[str, Any]) -> torch.Tensor:
    return torch.randn(x.shape, generator=OF_THE_FILE).to(x.device)


def _of_numpy(x: torch.Tensor, state: dict[str, Any]) -> torch.Tensor:
    return torch.from_numpy(state["numpy"].normal(size=x.shape)).to(x)


def _by_count(x: torch.Tensor, state: dict[str, Any]) -> torch.Tensor:
    state["calls"].append(1)
    return torch.full_like(x, float(len(state["calls"])))


class Varying(nn.Module):
    """Its numbers differ from call to call, by what no operation of PyTorch's shows."""

    def __init__(self, vary: Callable[[torch.Tensor, dict[str, Any]], torch.Tensor]) -> None:
        super().__init__()
        self.layer, self.vary = nn.Linear(4, 4), vary
        own, calls = torch.Generator().manual_seed(0), list[int]()
        self.state: dict[str, Any] = {
            "own": own,
            "numpy": numpy.random.default_rng(0),
            "calls": calls,
        }

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x + self.vary(x, self.state))


@pytest.mark.parametrize("vary", [_own, _of_the_file, _of_numpy, _by_count])
def test_numbers_that_differ_from_call_to_call_are_not_cudas_doing(vary: Any) -> None:
    assert codes(audit(partial(Varying, vary), torch.randn(6, 4))) == []


class Attention(nn.Module):
    """Gives a placeholder for the buckets that another kind of attention gives, as Reformer's."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.keys(x), torch.empty(0)


def test_a_result_without_a_number_may_be_anywhere():
    assert codes(audit(Attention, torch.randn(6, 4))) == []


class CropSizes(nn.Module):
    """Draws an augmentation's numbers, which its owner takes to the images, as in kornia."""

    def forward(self, batch_shape: torch.Size) -> dict[str, torch.Tensor]:
        return {"size": torch.rand(batch_shape.numel() and batch_shape[0], 2)}


class KeptCropSizes(nn.Module):
    """Nobody knows whether its owner takes along what it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.smallest = torch.tensor([0.5, 0.5])

    def forward(self, batch_shape: torch.Size) -> dict[str, torch.Tensor]:
        return {"size": self.smallest.expand(batch_shape[0], 2)}


class LearnedCropSizes(nn.Module):
    """What it registers tells where its numbers are to be."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = nn.Parameter(torch.ones(2))

    def forward(self, batch_shape: torch.Size) -> dict[str, torch.Tensor]:
        return {"largest": self.largest, "size": torch.rand(batch_shape[0], 2)}


class Positions(nn.Module):
    """Its input tells where its numbers are to be."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return torch.arange(tokens.shape[1]).expand(tokens.shape)


def test_what_registers_no_tensor_and_is_given_none_is_nowhere():
    assert codes(audit(CropSizes, torch.Size((4, 3, 32, 32)))) == []
    (kept,) = audit(KeptCropSizes, torch.Size((4, 3, 32, 32))).findings
    assert (kept.code, kept.severity) == ("member-tensor", "warning")
    assert codes(audit(LearnedCropSizes, torch.Size((4, 3, 32, 32)))) == ["made-in-forward"]
    assert codes(audit(Positions, torch.randint(9, (4, 6)))) == ["made-in-forward"]
