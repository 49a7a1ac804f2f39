"""What an audit must not say: of state that every call changes, of trained tensors, of metrics."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import MagicMock

import numpy
import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.auditing import audit
from grader.judge.report import Report


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


class Exhausted(nn.Module):
    """Gives out after its second call, wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.left = [0, 0]

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


class Steps(nn.Module):
    """Gains that are trained, from values that no seed changes."""

    def __init__(self, start: Callable[[], torch.Tensor]) -> None:
        super().__init__()
        self.gain = nn.Parameter(start())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.gain.reshape(-1, 4)[:4].t()


@pytest.mark.parametrize(
    "start",
    [
        lambda: torch.linspace(0.1, 1, 4).expand(4, 4).clone(),
        lambda: torch.eye(4),
        lambda: torch.arange(1.0, 17).log(),
        lambda: torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1]] * 2),
        lambda: functional.normalize(torch.arange(16.0).reshape(4, 4), dim=1),
    ],
)
def test_a_trained_parameter_is_no_constant(start: Callable[[], torch.Tensor]):
    assert codes(audit(lambda: Steps(start), torch.randn(6, 4))) == []


def sinusoids(interleaved: bool) -> torch.Tensor:
    angle = torch.arange(10.0)[:, None] * torch.tensor([1.0, 0.3, 0.1])
    pair = (angle.sin(), angle.cos())
    return torch.stack(pair, dim=2).flatten(1) if interleaved else torch.cat(pair, dim=1)


class Positions(nn.Module):
    def __init__(self, interleaved: bool) -> None:
        super().__init__()
        self.table = nn.Parameter(sinusoids(interleaved))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[: len(x)]


@pytest.mark.parametrize("interleaved", [True, False])
def test_a_table_of_positions_looks_like_one(interleaved: bool):
    assert codes(audit(lambda: Positions(interleaved), torch.randn(4, 6))) == [
        "parameter-or-buffer"
    ]


class Counting(nn.Module):
    """A metric: nothing in it is trained, so nobody replicates it."""

    def __init__(self) -> None:
        super().__init__()
        self.updates = 0
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.updates += 1
        return x.mean()


class CountingLayer(Counting):
    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x * self.gain)


def test_only_what_is_trained_is_warned_of_replicas():
    assert codes(audit(Counting, torch.randn(4, 6))) == []
    assert codes(audit(CountingLayer, torch.randn(4, 6))) == ["replica"]


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


class Prototypes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.prototypes = nn.Parameter(torch.randn(5, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.prototypes = nn.Parameter(functional.normalize(self.prototypes.detach()))
        return x @ self.prototypes.t()


class InPlacePrototypes(Prototypes):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.prototypes.copy_(functional.normalize(self.prototypes))
        return x @ self.prototypes.t()


class OncePrototypes(Prototypes):
    """Replaces it in its first call only, as a lazy layer does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not hasattr(self, "is_ready"):
            self.is_ready = True
            self.prototypes = nn.Parameter(functional.normalize(self.prototypes.detach()))
        return x @ self.prototypes.t()


def errors(report: Report) -> list[Any]:
    return [finding for finding in report.findings if finding.severity == "error"]


def test_a_parameter_that_every_call_replaces_is_found():
    (found,) = errors(audit(Prototypes, torch.randn(6, 4)))

    assert (found.code, found.where) == ("parameter-overwritten", "self.prototypes")
    assert found.source_line.startswith("self.prototypes = nn.Parameter(functional.normalize(")


@pytest.mark.parametrize("make", [InPlacePrototypes, OncePrototypes])
def test_one_that_is_changed_in_place_or_once_is_not(make: type):
    found = errors(audit(make, torch.randn(6, 4)))

    assert "parameter-overwritten" not in [finding.code for finding in found]


class Neuron(nn.Module):
    """Registers its state, of no size yet."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("membrane", torch.zeros(0), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.membrane is None or self.membrane.shape != x.shape:
            self.membrane = torch.zeros_like(x)
        return x + self.membrane


class LateNeuron(Neuron):
    """Has no state before its first call, as snntorch's DeltaLeaky."""

    def __init__(self) -> None:
        super().__init__()
        self.membrane = None


class LostNeuron(Neuron):
    def __init__(self) -> None:
        super().__init__()
        self.scale = self.register_buffer("scale", torch.ones(4))


@pytest.mark.parametrize("make", [Neuron, LateNeuron])
def test_a_buffer_that_is_none_on_purpose_is_not_undone(make: type):
    assert codes(audit(make, torch.randn(6, 4))) == []


def test_one_that_lost_its_tensor_to_an_assignment_is():
    assert codes(audit(LostNeuron, torch.randn(6, 4))) == ["registration-misuse"]


STORE: dict[str, nn.Parameter] = {}


class Stored(nn.Module):
    """Looks its Parameter up by name when it is called, as pyro's modules do."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.scale = STORE.setdefault("scale", self.scale)
        return x * self.scale


class BuiltAnew(Stored):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not hasattr(self, "is_ready"):
            self.is_ready, self.scale = True, nn.Parameter(torch.ones(4))
        return x * self.scale


def test_a_parameter_of_another_instance_is_no_layer_built_in_forward():
    STORE.clear()
    assert errors(audit(Stored, torch.randn(6, 4))) == []


def test_one_that_the_call_makes_is():
    found = errors(audit(BuiltAnew, torch.randn(6, 4)))

    assert [finding.code for finding in found] == ["layer-in-forward"]


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


class Logging(nn.Module):
    """Holds a mock, which answers to any name, also to those of a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.logger = nn.Linear(4, 4), MagicMock()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.logger.info("called with %s", len(x))
        return self.layer(x)


def test_a_mock_is_no_tensor():
    assert codes(audit(Logging, torch.randn(6, 4))) == []


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


class Sampler:
    """Draws from one distribution, whose scale is the identity."""

    def __init__(self) -> None:
        self.scale = torch.eye(4)


class Sampling(nn.Module):
    """Two identity matrices that have nothing to do with each other."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("prior", torch.eye(4))
        self.layer, self.sampler = nn.Linear(4, 4), Sampler()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.ones_like(x) @ self.sampler.scale.to(x.device)
        return self.layer(x) + noise @ self.prior


def test_what_equals_a_buffer_by_chance_is_no_copy_of_a_parameter():
    assert "averaged-copy" not in codes(audit(Sampling, torch.randn(6, 4)))


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
