"""What the learner's code leaves switched on for the whole program."""

import pytest
import torch
from probing import probe
from torch import nn
from torch.nn.modules import module as modules
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from grader.probe.defaults import cpu_and_gradients
from grader.probe.left_on import LONGEST_NAME, noting
from grader.schema.recipe import Input


class Counting(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class CountingOperators(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@pytest.fixture
def left_on():
    """What an action leaves on; it is off again afterwards."""

    def left_on(action):
        noted = {}
        before = torch._C._len_torch_dispatch_stack()
        with cpu_and_gradients():
            noting(action, noted)
        while torch._C._len_torch_dispatch_stack() > before:
            torch._C._pop_torch_dispatch_stack(None)
        return noted

    yield left_on
    for name in vars(modules):
        if name.startswith("_global_") and isinstance(hooks := getattr(modules, name), dict):
            hooks.clear()


def of_any_length():
    type("L" * 1_000, (TorchFunctionMode,), {})().__enter__()


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (lambda: nn.Linear(2, 2).register_forward_hook(print), {}),
        (lambda: torch.set_default_device("meta"), {"default device": "meta"}),
        (lambda: torch.device("meta").__enter__(), {"default device": "meta"}),
        (lambda: Counting().__enter__(), {"mode": "Counting"}),
        (lambda: CountingOperators().__enter__(), {"mode": "CountingOperators"}),
        (of_any_length, {"mode": "L" * LONGEST_NAME}),
        (
            lambda: modules.register_module_parameter_registration_hook(lambda *_: None),
            {"hook": "parameter registration hook"},
        ),
        (
            lambda: modules.register_module_buffer_registration_hook(lambda *_: None),
            {"hook": "buffer registration hook"},
        ),
        (lambda: modules.register_module_forward_hook(print), {}),
    ],
)
def test_what_is_left_on_is_noted(action, expected, left_on):
    assert left_on(action) == expected


def test_what_ends_is_not_noted(left_on):
    def action():
        with torch.device("meta"), Counting(), CountingOperators():
            modules.register_module_buffer_registration_hook(lambda *_: None).remove()
        return torch.ones(2)

    assert left_on(action) == {}


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_an_input_that_a_call_changes_is_noted_by_its_name(mode):
    class Darkens(nn.Module):
        def forward(self, photos, kinds):
            if self.training == (mode == "train"):
                photos.mul_(0.9)
            return photos * kinds[:, None]

    found = probe(Darkens, Input((4, 3)), Input((4,), "integers", high=3))

    assert found.left_on == (("input", "photos"),)


def test_the_result_is_the_actions():
    assert noting(lambda: 3, {}) == 3
