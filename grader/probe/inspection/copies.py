"""Copies of a live module, so that the caller's own is never touched."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.walk import Walk

ATOMS = {str, bytes, int, float, bool, type(None)}


class NotBuiltError(Exception):
    """There is no module to look at; the message gives the whole reason."""


def copier(module: nn.Module) -> Callable[[], nn.Module]:
    """A function that returns a new CPU copy of `module` as it is now, at each call.

    If the module cannot be copied, the function raises NotBuiltError.
    """
    try:
        pristine = _copy(module, _needs_own_copy, _cpu_copy).to("cpu")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return lambda: _refuse(reason)
    return lambda: _copy(pristine, _needs_own_copy, _cpu_copy)


def twin(module: nn.Module) -> nn.Module:
    """A copy of `module` as it is now, each tensor on the device where the original has it."""
    return _copy(module, lambda tensor: not tensor.is_leaf, lambda tensor: tensor.detach().clone())


def _copy(
    module: nn.Module,
    needs_own_copy: Callable[[torch.Tensor], bool],
    copy_of: Callable[[torch.Tensor], torch.Tensor],
) -> nn.Module:
    """`copy.deepcopy`, with its memo filled beforehand where it would fail or be slow.

    1. Plain tensors with a grad_fn: `Tensor.__deepcopy__` (torch/_tensor.py) refuses non-leaves.
    2. Large flat containers, such as a tokenizer's vocabulary: a shallow copy is equivalent, and
       `deepcopy` takes seconds.

    Args:
        module: what to copy.
        needs_own_copy: whether a plain tensor is copied by `copy_of` instead.
        copy_of: copies such a tensor.
    """
    walk = Walk(module)
    plain = [found.tensor for found in walk.reached if found.role == "plain"]
    memo: dict[int, Any] = {
        id(tensor): copy_of(tensor) for tensor in plain if needs_own_copy(tensor)
    }
    memo |= {id(container): copy.copy(container) for container in walk.large if _is_flat(container)}
    return copy.deepcopy(module, memo)


def _is_flat(container: Any) -> bool:
    """Whether it is a dict, list or set whose entries are immutable."""
    if type(container) is dict:
        return ATOMS.issuperset(map(type, container)) and _is_flat(list(container.values()))
    return type(container) in (list, set) and ATOMS.issuperset(map(type, container))


def _needs_own_copy(tensor: torch.Tensor) -> bool:
    """Whether `deepcopy` refuses it, or `Module.to` would not bring it to the CPU."""
    return not tensor.is_leaf or tensor.device.type == "cuda"


def _cpu_copy(tensor: torch.Tensor) -> torch.Tensor:
    """A CPU copy with the same `requires_grad`; a non-leaf's copy is a non-leaf too."""
    copied = tensor.detach().to("cpu", copy=True).requires_grad_(tensor.requires_grad)
    with torch.enable_grad():
        return copied if tensor.is_leaf else copied.clone()


def _refuse(reason: str) -> nn.Module:
    raise NotBuiltError(
        f"The module cannot be copied ({reason}), and the audit must not change it. Give the audit "
        "its class, or a function that makes one."
    )
