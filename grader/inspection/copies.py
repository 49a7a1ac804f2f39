"""Copies of a live module, so that the caller's own is never touched."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grader.inspection.walk import Walk

ATOMS = {str, bytes, int, float, bool, type(None)}


class NotBuiltError(Exception):
    """There is no module to look at, for a reason that its message tells whole."""


def copier(module: nn.Module) -> Callable[[], nn.Module]:
    """Gives a new copy of `module`, as it is now and on the CPU, whenever it is called."""
    try:
        pristine = _copy(module, _is_odd, _at_home).to("cpu")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return lambda: _refuse(reason)
    return lambda: _copy(pristine, _is_odd, _at_home)


def twin(module: nn.Module) -> nn.Module:
    """A copy of `module` as it is now, each tensor on the device where the original has it."""
    return _copy(module, lambda tensor: not tensor.is_leaf, lambda tensor: tensor.detach().clone())


def _copy(
    module: nn.Module,
    is_odd: Callable[[torch.Tensor], bool],
    copied: Callable[[torch.Tensor], torch.Tensor],
) -> nn.Module:
    """What `deepcopy` gives, but for odd plain tensors, which are copied by `copied`."""
    walk = Walk(module)
    plain = [each.tensor for each in walk.reached if each.role == "plain"]
    memo: dict[int, Any] = {id(each): copied(each) for each in plain if is_odd(each)}
    # What `deepcopy` would do, which takes seconds for a tokenizer's vocabulary.
    memo |= {id(each): copy.copy(each) for each in walk.large if _is_flat(each)}
    return copy.deepcopy(module, memo)


def _is_flat(container: Any) -> bool:
    """Whether it is a plain container, and nothing in it can change."""
    if type(container) is dict:
        return ATOMS.issuperset(map(type, container)) and _is_flat(list(container.values()))
    return type(container) in (list, set) and ATOMS.issuperset(map(type, container))


def _is_odd(tensor: torch.Tensor) -> bool:
    """Whether `deepcopy` refuses it, or `Module.to` would not bring it to the CPU."""
    return not tensor.is_leaf or tensor.device.type == "cuda"


def _at_home(tensor: torch.Tensor) -> torch.Tensor:
    """A copy on the CPU; what has a grad_fn gets one of its own."""
    copied = tensor.detach().to("cpu", copy=True).requires_grad_(tensor.requires_grad)
    with torch.enable_grad():
        return copied if tensor.is_leaf else copied.clone()


def _refuse(reason: str) -> nn.Module:
    raise NotBuiltError(
        f"The module cannot be copied ({reason}), and the audit must not change it. Give the audit "
        "its class, or a function that makes one."
    )
