"""What an audit must not say of trained tensors, metrics, and attributes that look like tensors."""

from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.auditing.one_module import audit
from grader.schema.report import Report


def codes(report: Report) -> list[str]:
    assert report.verdict in ("passed", "failed"), report.message
    return [finding.code for finding in report.findings]


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


class Sampler:
    """Draws from one distribution, whose scale is the identity."""

    def __init__(self) -> None:
        self.scale = torch.eye(4)


class Sampling(nn.Module):
    """Identity matrices that have nothing to do with each other."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("prior", torch.eye(4))
        self.mixing = nn.Parameter(torch.eye(4))
        self.layer, self.sampler = nn.Linear(4, 4), Sampler()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.ones_like(x) @ self.sampler.scale.to(x.device)
        return self.layer(x) @ self.mixing + noise @ self.prior


def test_what_equals_another_by_chance_is_no_copy_of_a_parameter():
    assert "averaged-copy" not in codes(audit(Sampling, torch.randn(6, 4)))


class Pendulum(nn.Module):
    """Constants of physics as tensors of one number, which mix with CUDA."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gravity, self.length = torch.tensor(9.81), torch.tensor(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x) * self.gravity / self.length


class Annealed(Pendulum):
    """Two numbers that calls change: a checkpoint would lose them."""

    def __init__(self) -> None:
        super().__init__()
        self.step = torch.tensor(0)
        self.heat = torch.tensor(1.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        self.heat = self.heat * 0.9
        return super().forward(x) * self.heat / self.step


def test_numbers_that_nothing_changes_are_a_note():
    report = audit(Pendulum, torch.randn(6, 4))

    assert (report.verdict, report.findings) == ("passed", ())
    assert [note.count("`self.") for note in report.notes] == [2]


def test_numbers_that_calls_change_are_one_warning():
    (finding,) = audit(Annealed, torch.randn(6, 4)).findings

    assert (finding.code, finding.severity, finding.where) == (
        "member-tensor",
        "warning",
        "self.step",
    )
    assert "`self.heat`" in finding.message
    assert [edit.after for edit in finding.edits] == [
        'self.register_buffer("step", torch.tensor(0))',
        'self.register_buffer("heat", torch.tensor(1.0))',
    ]


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = [nn.Linear(4, 4), torch.relu, nn.Linear(4, 4)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for step in self.steps:
            x = step(x)
        return x


class Optional(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = [nn.Linear(4, 4), None]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for step in self.steps:
            x = x if step is None else step(x)
        return x


def test_a_container_of_modules_takes_no_functions():
    (mixed,) = audit(Mixed, torch.randn(6, 4)).findings
    (optional,) = audit(Optional, torch.randn(6, 4)).findings

    assert (mixed.edits, "the rest" in mixed.fix) == ((), True)
    assert [edit.after for edit in optional.edits] == [
        "self.steps = nn.ModuleList([nn.Linear(4, 4), None])"
    ]


class OwnOptimizer(nn.Module):
    """Its optimizer trains a tensor that the module holds, and has not registered."""

    def __init__(self) -> None:
        super().__init__()
        self.latent = torch.zeros(4, requires_grad=True)
        self.optimizer = torch.optim.SGD([self.latent], lr=0.1)
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x + self.latent)


def test_a_tensor_that_is_held_is_no_stranger_to_an_optimizer():
    found = errors(audit(OwnOptimizer, torch.randn(6, 4)))

    assert [finding.code for finding in found] == ["member-tensor"]


class Guide(nn.Module):
    """Keeps the model that it guides out of its Parameters, as Pyro's autoguides do."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(4))
        self.hidden = (model,)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.hidden[0].weight  # type: ignore[union-attr]
        return x * self.loc + weight.detach().to(x.device).mean()


class Guides(Guide):
    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 4))
        self.hidden = (nn.Linear(4, 4), nn.Linear(4, 4))  # type: ignore[assignment]


def test_a_tuple_of_one_module_is_hidden_on_purpose():
    assert codes(audit(lambda: Guide(nn.Linear(4, 4)), torch.randn(6, 4))) == []
    assert codes(audit(Guides, torch.randn(6, 4))) == ["python-container"]


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated")
def test_a_weight_that_is_computed_before_each_call_is_no_result_to_register():
    normed = (nn.utils.weight_norm, nn.utils.spectral_norm)

    for norm in normed:
        report = audit(lambda norm=norm: norm(nn.Linear(4, 4)))
        assert [finding.code for finding in report.findings] == []


class Covariance(nn.Module):
    """An average over batches, as lightly's TiCo loss has it: one flag says whether it learns."""

    def __init__(self) -> None:
        super().__init__()
        self.average: torch.Tensor | None = None

    def forward(self, x: torch.Tensor, update: bool = True) -> torch.Tensor:
        if self.average is None:
            self.average = x.new_zeros(4)
        average = 0.9 * self.average + 0.1 * x.mean(dim=0)
        if update:
            self.average = average.detach()
        return (x - average).square().mean()


def test_a_state_under_a_flag_is_not_made_again_on_another_device():
    (finding,) = audit(Covariance, torch.randn(6, 4)).findings

    assert (finding.code, finding.edits) == ("stale-device", ())
