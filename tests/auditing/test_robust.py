"""An audit survives any module, in bounded time, says what it gave up on, and changes nothing."""

import copy
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
import pytest
import torch
from plain import Plain, batch
from torch import nn

from grader.auditing.one_module import audit
from grader.probe.run import run_probe
from grader.schema.report import Report
from grader.simulated_cuda import simulated_cuda


def errors(report: Report) -> list[Any]:
    return [finding for finding in report.findings if finding.severity == "error"]


class Answers(Plain):
    """To every name, something."""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return lambda *args: name


class Refusing:
    """A lazy proxy that can be asked nothing."""

    def __getattr__(self, name):
        raise RuntimeError(f"not now: {name}")

    def __deepcopy__(self, memo):
        return self

    __len__ = __iter__ = __bool__ = __getitem__ = __getattr__


class WithProxy(Plain):
    def __init__(self):
        super().__init__()
        self.proxy = Refusing()


class RaisingProperties(Plain):
    @property
    def device(self):
        raise RuntimeError("ask later")

    @property
    def table(self):
        raise AttributeError("table")


class Cyclic(Plain):
    def __init__(self):
        super().__init__()
        self.state = {"owner": [self]}
        self.state["state"] = self.state


class Unrepeatable(Plain):
    def forward(self, x):
        noise = torch.frombuffer(bytearray(os.urandom(4)), dtype=torch.uint8)
        return self.linear(x) + noise.to(x)


class Printing(Plain):
    def forward(self, x):
        print("in forward")
        return self.linear(x)


class Nothing(Plain):
    def forward(self, x):
        self.linear(x)


class Yielding(Plain):
    def forward(self, x):
        yield self.linear(x)


@dataclass
class Result:
    scores: Any
    attention: Any = None
    size: int = 4


class Structured(Plain):
    def forward(self, x):
        return Result(self.linear(x))


class OwnState(Plain):
    def state_dict(self, *args, **kwargs):
        return {**super().state_dict(*args, **kwargs), "version": 1}

    def load_state_dict(self, state, *args, **kwargs):
        kept = {name: value for name, value in state.items() if name != "version"}
        return super().load_state_dict(kept, *args, **kwargs)

    def parameters(self, recurse=True):
        return iter(())


class InPlace(Plain):
    def forward(self, x):
        return self.linear(x.mul_(2))


class Weighted(nn.Module):
    """A criterion."""

    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(weight=torch.rand(4))

    def forward(self, scores, target):
        return self.loss(scores, target)


class Accuracy(nn.Module):
    """A metric."""

    def __init__(self):
        super().__init__()
        self.register_buffer("right", torch.zeros(()))

    def forward(self, scores, target):
        self.right += (scores.argmax(1) == target).sum()
        return self.right.item()


class Keywords(Plain):
    def forward(self, x, *, mask):
        return self.linear(x) * mask


class Nested(Plain):
    def forward(self, batch):
        return {"scores": self.linear(batch["views"][0]) + batch["views"][1]["x"]}


class Odd(Plain):
    def forward(self, x, times, function):
        return function(self.linear(x)) * times


PAIR = (torch.randn(6, 4), torch.randint(4, (6,)))


@pytest.mark.parametrize(
    ("make", "inputs"),
    [
        *((make, torch.randn(6, 4)) for make in (
            Answers, WithProxy, RaisingProperties, Cyclic, Unrepeatable, Printing,
            Nothing, Yielding, Structured, OwnState, InPlace, nn.Identity, nn.Dropout,
        )),
        (Weighted, PAIR),
        (Accuracy, PAIR),
        (Keywords, {"x": torch.randn(6, 4), "mask": torch.ones(6, 4)}),
        (Nested, ({"views": (torch.randn(6, 4), {"x": torch.randn(6, 4)})},)),
        (Odd, (torch.randn(6, 4), 3, torch.relu)),
    ],
)  # fmt: skip
def test_what_is_odd_but_right_passes(make: Callable[[], nn.Module], inputs: Any):
    report = audit(make, inputs)

    assert errors(report) == []
    assert (report.verdict, report.message) == ("passed", "")


class Slotted:
    __slots__ = ("scale", "unset")

    def __init__(self):
        self.scale = torch.ones(4)


class WithSlots(Plain):
    def __init__(self):
        super().__init__()
        self.holder = Slotted()

    def forward(self, x):
        return self.linear(x) * self.holder.scale


def test_slots_hide_nothing():
    (found,) = audit(WithSlots, batch()).findings

    assert (found.code, found.where) == ("opaque-holder", "self.holder.scale")


class YieldsNoise(Plain):
    def forward(self, x):
        yield self.linear(x) + torch.randn(4)


def test_what_a_generator_would_run_is_run():
    (found,) = audit(YieldsNoise, batch()).findings

    assert found.code == "made-in-forward"


class Tokenizing(Plain):
    def __init__(self):
        super().__init__()
        self.vocabulary = {f"word {i}": i for i in range(1_000_000)}
        self.words = list(self.vocabulary)


def test_a_huge_vocabulary_costs_little_and_is_named():
    module, began = Tokenizing(), time.process_time()
    copy.deepcopy(module)
    copied = time.process_time()

    report = audit(module, batch())

    assert time.process_time() - copied < 8 * (copied - began)  # twice as long as a copy, here
    assert report.verdict == "passed"
    assert "self.vocabulary: 1,000,000 entries; looked at the first 2,000" in report.message


class Deep(Plain):
    def __init__(self):
        super().__init__()
        self.deep: list[Any] = [torch.ones(2)]
        for _ in range(3_000):
            self.deep = [self.deep]


def test_deep_nesting_is_given_up_on():
    report = audit(Deep, batch())

    assert report.verdict == "passed"
    assert "too deep" in report.message


def test_a_deep_module_is_audited():
    module: nn.Module = nn.Linear(4, 4)
    for _ in range(100):
        module = nn.Sequential(module)

    assert audit(module, batch()).verdict == "passed"


class Slow(Plain):
    def forward(self, x):
        time.sleep(0.3)
        return self.linear(x)


def test_what_there_was_no_time_for_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("grader.probe.run_probe", partial(run_probe, patience=0.5))

    report = audit(Slow, batch())

    assert report.verdict == "passed"
    assert "training and a checkpoint" in report.message


class Demanding(nn.Module):
    def __init__(self, size, *, heads):
        super().__init__()


class Locked(Plain):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


@pytest.mark.parametrize(
    ("target", "inputs", "message"),
    [
        (Demanding, batch(), "size, heads"),
        (Plain, torch.randn(3, 7), "Do the inputs fit the module?"),
        (Plain, (batch(), batch()), "Do the inputs fit the module?"),
        (Locked(), batch(), "Give the audit its class"),
        (lambda: None, batch(), "which is not an nn.Module"),
    ],
)
def test_what_cannot_be_audited_is_told_why(target: Any, inputs: Any, message: str):
    report = audit(target, inputs)

    assert report.exit_code == 2
    assert message in report.message
    assert "raised :" not in report.message


def test_what_cannot_be_copied_can_be_made_anew():
    assert audit(Locked, batch()).verdict == "passed"


class Masked(Plain):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(4)


def test_without_inputs_the_structure_is_all_it_shows():
    report = audit(Masked)

    assert [finding.where for finding in report.findings] == ["self.mask"]
    assert "was never called" in report.message


class Multiplied(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4)) * 2

    def forward(self, x):
        return x * self.weight


def test_a_live_module_may_hold_what_deepcopy_refuses():
    (found,) = audit(Multiplied(), batch()).findings

    assert found.code == "moved-before-registration"


class Random(nn.Module):
    """Its Parameter looks the same in every copy, but is no constant."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4))

    def forward(self, x):
        return x * self.weight


def test_the_parameters_of_a_live_module_are_not_taken_for_constants():
    assert audit(Random(), batch()).findings == ()


class Everything(nn.Module):
    """Buffers, a plain tensor, dropout and a counter: all that a call or a move could change."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.linear = nn.Linear(4, 4)
        self.mask = torch.ones(4)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return nn.functional.dropout(self.linear(self.norm(x)), training=self.training) * self.mask


def state_of(module: nn.Module) -> dict[str, Any]:
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers()), "m": module.mask}
    return {
        "ids": {name: id(tensor) for name, tensor in tensors.items()},
        "values": {name: tensor.tolist() for name, tensor in tensors.items()},
        "devices": {name: str(tensor.device) for name, tensor in tensors.items()},
        "gradients": [parameter.grad for parameter in module.parameters()],
        "modes": [module.training for module in module.modules()],
        "calls": module.calls,
    }


def surroundings() -> list[Any]:
    return [
        torch.get_rng_state().tolist(),
        random.getstate(),
        numpy.random.get_state()[1].tolist(),
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        sys.getrecursionlimit(),
    ]


@pytest.mark.parametrize("training", [True, False])
def test_a_live_module_is_never_changed(training: bool):
    module, inputs = Everything().train(training), batch()
    before, around, given = state_of(module), surroundings(), inputs.clone()

    report = audit(module, inputs)

    assert [error.where for error in errors(report)] == ["self.mask"]
    assert state_of(module) == before
    assert surroundings() == around
    assert torch.equal(inputs, given)


def test_neither_is_one_that_is_on_the_simulated_device():
    with simulated_cuda(devices=2):
        module, inputs = Everything().cuda(), batch().cuda()
        module.mask = module.mask.cuda()
        before, around = state_of(module), [*surroundings(), torch.cuda.get_rng_state().tolist()]

        report = audit(module, inputs)

        after = [*surroundings(), torch.cuda.get_rng_state().tolist()]
        assert state_of(module) == before
        assert after == around
    assert [(error.code, error.where) for error in errors(report)] == [
        ("member-tensor", "self.mask")
    ]


def test_auditing_twice_says_the_same():
    module = Everything()
    copied = copy.deepcopy(module)

    assert audit(module, batch()).findings == audit(copied, batch()).findings
