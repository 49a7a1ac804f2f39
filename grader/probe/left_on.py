"""What the learner's code leaves switched on for the whole program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn.modules import module as nn_module
from torch.utils._device import DeviceContext

from grader.probe.inspection.operations import OURS
from grader.schema import LeftOn

# torch/nn/modules/module.py: what is registered in any module of a program goes through these.
# `_global_forward_hooks` and the like are left to whoever prints shapes.
HOOKS = tuple(name for name in vars(nn_module) if name.endswith("_registration_hooks"))
LONGEST_NAME = 80


def noting(action: Callable[[], Any], noted: dict[LeftOn, str]) -> Any:
    """The result of `action()`; puts into `noted` what it leaves on, by kind, with its name."""
    before = len(_modes())
    try:
        return action()
    finally:
        for kind, name in _left_on(before):
            noted.setdefault(kind, name)


def _modes() -> list[Any]:
    """The modes of this thread. Nothing is called while they are on: they would see it."""
    functions, dispatches = (
        torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(),
    )
    return [
        *map(torch._C._get_function_stack_at, range(functions)),
        *map(torch._C._get_dispatch_stack_at, range(dispatches)),
    ]


def _left_on(before: int) -> Iterator[tuple[LeftOn, str]]:
    """By kind, what is on, besides as many modes as there were.

    A default device is a mode, too, at the bottom of the stack (torch/utils/_device.py).
    """
    modes = _modes()
    if len(modes) > before:
        devices = [mode.device for mode in modes if type(mode) is DeviceContext]
        if not devices:
            yield "mode", str(type(modes[-1]).__name__)[:LONGEST_NAME]
        elif devices[-1].type != "cpu":
            yield "default device", str(devices[-1])
    for name in HOOKS:
        hooks = getattr(nn_module, name)
        if any(_is_learners(hook) for hook in hooks.values()):
            yield "hook", name.removeprefix("_global_").removesuffix("s").replace("_", " ")


def _is_learners(hook: Any) -> bool:
    return not str(getattr(hook, "__module__", "")).startswith(OURS)
