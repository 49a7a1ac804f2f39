"""Two instances hold the same only where looking tells."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from grader.probe.inspection.equality import have_equal_state


class Holder(nn.Module):
    def __init__(self, held: Any) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        nn.init.ones_(self.layer.weight)
        nn.init.zeros_(self.layer.bias)
        self.held = held(self) if callable(held) else held


class Options:
    def __init__(self, width: int) -> None:
        self.width = width
        self.sizes = [width, {"half": width / 2}]


class Numbers(int):
    pass


def closure(number: int) -> Callable[[nn.Module], Callable[[], int]]:
    return lambda module: lambda: number


def bound(module: Holder) -> Callable[..., Any]:
    return module.layer.forward


def bound_to_another(module: Holder) -> Callable[..., Any]:
    return nn.Linear(2, 2).reset_parameters


def scaled(module: Holder) -> nn.Module:
    module.layer.weight.data.mul_(3.0)
    return module.layer


@pytest.mark.parametrize("make", [lambda: Options(3), lambda: closure(3), lambda: bound])
def test_what_is_made_alike_is_seen_to_be(make: Callable[[], Any]) -> None:
    assert have_equal_state(Holder(make()), Holder(make()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Options(3), Options(4)),
        (closure(3), closure(4)),
        (bound, bound_to_another),
        (bound, scaled),
        ([torch.ones(2)], [torch.zeros(2)]),
    ],
)
def test_a_difference_is_seen(one: Any, other: Any) -> None:
    assert not have_equal_state(Holder(one), Holder(other))


@pytest.mark.parametrize("kind", [lambda: SimpleNamespace(a=1), object, lambda: Numbers(3)])
def test_what_c_code_may_hold_is_not_told(kind: Callable[[], Any]) -> None:
    assert not have_equal_state(Holder([kind()]), Holder([kind()]))
