"""What a module is called with where nobody says so: guesses, and a search."""

import inspect
from typing import Optional

import pytest
import torch
from torch import nn

from grader.auditing.survey.package.inputs import inputs_for, searched_inputs


class Projected(nn.Module):
    """Its first layer is not the first that is called."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(12, 2)
        self.project = nn.Linear(7, 12)

    def forward(self, x):
        return self.out(self.project(x))


class Coloured(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.BatchNorm2d(3)
        self.mix = nn.Conv2d(6, 3, 3)

    def forward(self, images):
        return self.scale(self.mix(images))


class Worded(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(5)
        self.words = nn.Embedding(9, 5)

    def forward(self, ids):
        return self.norm(self.words(ids))


class Unmoved(nn.Module):
    def forward(self, steps: int):
        return torch.zeros(steps)


@pytest.mark.parametrize("cls", [Projected, Coloured, Worded, Unmoved])
def test_a_call_is_found(cls):
    inputs, source = inputs_for(cls().eval())

    assert source == "guess"
    assert inputs


def test_what_nobody_can_call_stays_uncalled():
    class Stern(nn.Module):
        def forward(self, x):
            raise ValueError("mat1 and mat2 shapes cannot be multiplied (4x8 and 8x32)")

    assert inputs_for(Stern()) == (None, "")


class Timed(nn.Module):
    """Takes several inputs that do not look alike."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 8)
        self.project = nn.Linear(8, 8)

    def forward(self, x, ids, steps: int, others: list[torch.Tensor], mask: Optional[int] = None):  # noqa: UP045
        first, second = others
        return self.project(x) + self.words(ids).mean() * steps + first.mean() + second.mean()


class Unhelpful(nn.Module):
    def forward(self, graph):
        return graph.nodes.edges


def test_each_gets_its_own():
    module = Timed()
    inputs = searched_inputs(module)

    assert inputs is not None
    given = eval(f"dict({inputs})", {"torch": torch})
    assert set(given) == {"x", "ids", "steps", "others"}
    assert set(given) < set(inspect.signature(module.forward).parameters)
    assert (given["steps"], len(given["others"]), given["ids"].dtype) == (2, 2, torch.int64)


def test_without_a_call_that_works_there_is_none():
    assert searched_inputs(Unhelpful()) is None
