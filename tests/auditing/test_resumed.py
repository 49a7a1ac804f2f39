"""Modules that load by themselves: onto CUDA, from a checkpoint that was loaded to the CPU."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.auditing.one_module import audit


def errors(make) -> list[tuple[str, str]]:
    report = audit(make, torch.randn(4, 6))
    assert report.verdict in ("passed", "failed"), report.message
    return [(e.code, e.where) for e in report.findings if e.severity == "error"]


class Average(nn.Module):
    """An average of the weights that moves along, and is saved as extra state."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.shadow = {n: p.detach().clone() for n, p in self.layer.named_parameters()}

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.shadow = {name: fn(tensor) for name, tensor in self.shadow.items()}
        return self

    def get_extra_state(self):
        return self.shadow

    def set_extra_state(self, state):
        self.shadow = state

    def forward(self, x):
        return functional.linear(x, self.shadow["weight"], self.shadow["bias"]) + self.layer(x)


class AverageCopied(Average):
    def set_extra_state(self, state):
        for name, tensor in state.items():
            self.shadow[name].copy_(tensor)


class AverageBrought(Average):
    def set_extra_state(self, state):
        device = self.layer.weight.device
        self.shadow = {name: tensor.to(device) for name, tensor in state.items()}


class Bank(nn.Module):
    """Takes a bank of any length from a checkpoint."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.register_buffer("bank", torch.ones(1, 6))

    def taken(self, bank):
        return bank

    def _load_from_state_dict(self, state_dict, prefix, *args):
        self.bank = self.taken(state_dict[f"{prefix}bank"])
        super()._load_from_state_dict(state_dict, prefix, *args)

    def forward(self, x):
        return self.layer(x) @ self.bank.t()


class BankBrought(Bank):
    def taken(self, bank):
        return bank.to(self.bank.device)


class BankResized(Bank):
    def taken(self, bank):
        return self.bank.new_empty(bank.shape)


class Hooked(nn.Module):
    """A hook that takes what it is given."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.register_buffer("scale", torch.ones(6))
        self.register_load_state_dict_pre_hook(take_scale)

    def forward(self, x):
        return self.layer(x) * self.scale


def take_scale(module, state_dict, prefix, *_):
    module.scale = state_dict.pop(f"{prefix}scale")


class Learner(nn.Module):
    """Resumes its optimizer from extra state."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.optimizer = torch.optim.Adam(self.layer.parameters())

    def get_extra_state(self):
        return [self.optimizer.state[p] for p in self.layer.parameters()]

    def set_extra_state(self, state):
        for parameter, moments in zip(self.layer.parameters(), state, strict=True):
            self.optimizer.state[parameter] = moments

    def forward(self, x):
        return self.layer(x)


class LearnerByItsOptimizer(Learner):
    def get_extra_state(self):
        return self.optimizer.state_dict()

    def set_extra_state(self, state):
        self.optimizer.load_state_dict(state)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (Average, ("averaged-copy", "self.shadow")),
        (Bank, ("stale-device", "self.bank")),
        (Hooked, ("stale-device", "self.scale")),
        (Learner, ("stale-optimizer", "self.optimizer")),
    ],
)
def test_what_keeps_a_checkpoints_tensor_where_it_was_loaded_is_an_error(make, found):
    assert errors(make) == [found]


@pytest.mark.parametrize(
    "make", [AverageCopied, AverageBrought, BankBrought, BankResized, LearnerByItsOptimizer]
)
def test_what_brings_it_to_the_module_is_right(make):
    assert errors(make) == []


class Unloadable(Bank):
    def _load_from_state_dict(self, *args):
        raise KeyError("from a service only")


def test_what_cannot_be_loaded_is_no_fault_of_devices():
    assert errors(Unloadable) == []
