"""Every tensor that can be reached from a module is found, with its path, role and line."""

import inspect
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from functools import partial

import pytest
import torch
from probing import facts, structure, zeros
from torch import nn

from grader.schema import Holder


class Encoder(nn.Module):
    """One tensor of every role."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 2)
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("cache", torch.zeros(4), persistent=False)
        self.scale = nn.Parameter(torch.ones(3), requires_grad=False)
        self.mask = torch.tensor([True, False])
        self.dropped = None


def test_every_role_is_told_apart():
    found = facts(Encoder)

    assert {path: (fact.name, fact.role) for path, fact in found.items()} == {
        "self.scale": ("scale", "parameter"),
        "self.mean": ("mean", "buffer"),
        "self.cache": ("cache", "buffer"),
        "self.project.weight": ("project.weight", "parameter"),
        "self.project.bias": ("project.bias", "parameter"),
        "self.mask": ("", "plain"),
    }
    assert [path for path, fact in found.items() if not fact.persistent] == ["self.cache"]
    assert not found["self.scale"].requires_grad
    assert found["self.project.weight"].requires_grad
    assert structure(Encoder).state_keys == ("scale", "mean", "project.weight", "project.bias")


def test_a_tensor_is_described_as_it_is():
    mask = facts(Encoder)["self.mask"]

    assert (mask.shape, mask.dtype, mask.device) == ((2,), "bool", "cpu")
    assert mask.is_leaf
    assert not mask.is_parameter


def test_the_line_and_the_text_that_bind_it_are_the_learners():
    lines, first = inspect.getsourcelines(Encoder)
    expected = {
        "self.mean": ('register_buffer("mean"', "torch.zeros(3)"),
        "self.mask": ("self.mask =", "torch.tensor([True, False])"),
        "self.project.weight": ("self.project =", None),
    }

    for path, (text, value) in expected.items():
        fact = facts(Encoder)[path]
        assert fact.line == first + next(i for i, line in enumerate(lines) if text in line)
        assert value is None or fact.value == value


class OnTheClass(nn.Module):
    scale = torch.full((3,), 2.0)
    shift: torch.Tensor = torch.zeros(3)
    mask = None
    steps = 3

    def __init__(self):
        super().__init__()
        self.shift = torch.ones(3)
        self.mask = torch.ones(3)


class InheritsIt(OnTheClass):
    pass


@pytest.mark.parametrize("cls", [OnTheClass, InheritsIt])
def test_its_line_in_the_class_body_is_named_unless_a_method_binds_it(cls):
    lines, first = inspect.getsourcelines(OnTheClass)
    expected = {
        "self.scale": "    scale = ",
        "self.shift": "        self.shift = ",
        "self.mask": "        self.mask = ",
    }

    found = facts(cls)

    assert set(found) == set(expected)
    for path, start in expected.items():
        assert found[path].line == first + next(
            i for i, line in enumerate(lines) if line.startswith(start)
        )


class Anchors:
    """Holds a tensor, and is no module."""

    def __init__(self):
        self.points = zeros()


class Slotted:
    __slots__ = ("never_set", "offset")

    def __init__(self):
        self.offset = zeros()


@dataclass
class Config:
    weights: dict = field(default_factory=lambda: {"age": zeros()})


class Guarded:
    """A proxy that raises at any question."""

    def __init__(self):
        object.__setattr__(self, "table", zeros())

    def __getattribute__(self, name):
        raise RuntimeError("no")


_KERNEL = torch.ones(2)


def closure():
    kernel = zeros()
    return lambda x: x * kernel


def default(x, kernel=_KERNEL):
    return x * kernel


HOLDERS = {
    "list": (lambda: [zeros()], "[0]", "list"),
    "tuple": (lambda: (1, zeros()), "[1]", "tuple"),
    "dict": (lambda: {"age": zeros()}, "['age']", "dict"),
    "dict of lists": (lambda: {"age": [zeros()]}, "['age'][0]", "dict"),
    "dict by tuple": (lambda: {("a", 1): zeros()}, "[tuple]", "dict"),
    "OrderedDict": (lambda: OrderedDict(age=zeros()), "['age']", "OrderedDict"),
    "set": (lambda: {zeros()}, "{…}", "set"),
    "deque": (lambda: deque([zeros()]), "[0]", "deque"),
    "object": (Anchors, ".points", "Anchors"),
    "slots": (Slotted, ".offset", "Slotted"),
    "dataclass": (Config, ".weights['age']", "Config"),
    "guarded": (lambda: [Guarded()], "[0].table", "Guarded"),
    "closure": (closure, ".kernel", "function"),
    "default": (lambda: default, ".default", "function"),
    "partial": (lambda: partial(torch.add, zeros()), ".args[0]", "partial"),
    "keyword": (lambda: partial(torch.add, other=zeros()), ".keywords['other']", "partial"),
    "method": (lambda: Anchors().__init__, ".__self__.points", "method"),
    "module": (lambda: [nn.Linear(1, 1, bias=False)], "[0].weight", "list"),
    "module of modules": (
        lambda: {"head": nn.Sequential(nn.ReLU(), nn.Linear(1, 1, bias=False))},
        "['head'][1].weight",
        "dict",
    ),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_hides_a_tensor_is_looked_into_and_named(holder):
    make, path, kind = HOLDERS[holder]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.held = make()

    (fact,) = structure(Net).tensors

    assert (fact.path, fact.role) == (f"self.held{path}", "plain")
    assert fact.holder == Holder(kind, "self.held[0]" if kind == "Guarded" else "self.held")


class Containers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2, bias=False)])
        self.heads = nn.ModuleDict({"age": nn.Sequential(nn.Linear(2, 1, bias=False))})
        self.gains = nn.ParameterList([nn.Parameter(zeros())])
        self.shifts = nn.ParameterDict({"age": nn.Parameter(zeros())})


def test_pytorchs_containers_hide_nothing():
    found = facts(Containers)

    assert {path: fact.name for path, fact in found.items()} == {
        "self.layers[0].weight": "layers.0.weight",
        'self.heads["age"][0].weight': "heads.age.0.weight",
        "self.gains[0]": "gains.0",
        'self.shifts["age"]': "shifts.age",
    }
    assert {fact.holder for fact in found.values()} == {None}


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 2)
        self.out = nn.Linear(2, 5, bias=False)
        self.out.weight = self.embed.weight
        self.row = self.embed.weight.data[0]
        self.alias = self.embed.weight.data


def test_one_tensor_under_two_names_is_one_and_a_view_shares_its_memory():
    found = facts(Tied)
    weight = found["self.embed.weight"]

    assert found["self.out.weight"].identity == weight.identity
    assert found["self.alias"].identity != weight.identity
    assert found["self.alias"].storage == found["self.row"].storage == weight.storage


class Cyclic(nn.Module):
    """Refers to itself in every way there is."""

    def __init__(self):
        super().__init__()
        self.block = nn.Linear(2, 2, bias=False)
        self.loop = [zeros()]
        self.loop.append(self.loop)
        self.me = [self]
        self.owner = Anchors()
        self.owner.model = self
        self.call = self.forward

    def forward(self, x):
        return self.block(x)


def test_cycles_end_and_what_is_registered_is_not_hidden_again():
    found = facts(Cyclic)

    assert set(found) == {"self.block.weight", "self.loop[0]", "self.owner.points"}


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.LazyLinear(2)


def test_a_lazy_parameter_has_no_shape_yet():
    assert facts(Lazy)["self.project.weight"].shape == ()


class Emptied(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = self.register_buffer("mean", zeros())
        self.register_buffer("empty_from_the_start", None)


def test_a_buffer_that_became_none_is_told_from_one_that_always_was():
    (path,) = structure(Emptied).emptied

    assert path.path == "self.mean"
    assert path.line == inspect.getsourcelines(Emptied)[1] + 3


class Vocabulary(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.index = {f"word {i}": i for i in range(words)}
        self.weight = nn.Parameter(zeros())


def test_a_huge_dict_is_given_up_on_and_that_is_said():
    found = structure(Vocabulary, words=100_000)

    assert [fact.path for fact in found.tensors] == ["self.weight"]
    (reason,) = found.given_up
    assert reason.startswith("self.index: 100,000 entries")
    assert structure(Vocabulary, words=1_000).given_up == ()


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.nest = zeros()
        for _ in range(50):
            self.nest = [self.nest]


def test_what_lies_too_deep_is_given_up_on_and_that_is_said():
    (reason,) = structure(Deep).given_up

    assert reason.startswith("self.nest[0][0]")
    assert reason.endswith("too deep")


class Crowded(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = [[{0} for _ in range(1_000)] for _ in range(30)]


def test_more_objects_than_anyone_has_time_for_are_given_up_on():
    assert any("too many objects" in reason for reason in structure(Crowded).given_up)
