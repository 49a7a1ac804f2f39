"""Whether two instances hold the same, so that calls of them need not be compared."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from types import FunctionType
from typing import Any
from weakref import ref

import torch
from torch import nn

from grader.inspection.plain import dict_of
from grader.inspection.values import is_dense
from grader.inspection.walk import registered_modules

CHILDREN = "_modules"  # where `nn.Module` keeps what is compared as modules
DEEPEST = 5  # containers in containers
ATOMS = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device, torch.Size)
_ATOMS = frozenset(map(id, ATOMS))  # a metaclass may have an `__eq__`


def hold_the_same(one: nn.Module, other: nn.Module) -> bool:
    """Whether all that their registered modules hold is seen to be equal.

    False where looking does not tell: of an object of another class, of a function with a
    closure, of a tensor without dense values.
    """
    ones = list(registered_modules(one, "self", ""))
    others = list(registered_modules(other, "self", ""))
    return len(ones) == len(others) and all(
        path == other_path and type(module) is type(twin) and _are_same(module, twin)
        for (module, path, _), (twin, other_path, _) in zip(ones, others, strict=True)
    )


def _are_same(module: nn.Module, twin: nn.Module) -> bool:
    held, other = dict_of(module), dict_of(twin)
    return held.keys() == other.keys() and all(
        value is other[name] or name == CHILDREN or _is_same(value, other[name])
        for name, value in held.items()
    )


def _is_same(value: Any, other: Any, depth: int = 0) -> bool:
    kind = type(value)
    if value is other:  # both share it
        return True
    if kind is not type(other) or depth > DEEPEST:
        return False
    if id(kind) in _ATOMS:
        return bool(value == other)
    if kind is torch.Tensor or kind is nn.Parameter:
        return _is_same_tensor(value, other)
    if kind is set or kind is frozenset:
        return all(id(type(member)) in _ATOMS for member in value | other) and bool(value == other)
    parts, others = _parts_of(value, kind), _parts_of(other, kind)
    if parts is None or others is None or len(parts) != len(others):
        return False
    return all(_is_same(*pair, depth + 1) for pair in zip(parts, others, strict=True))


def _parts_of(value: Any, kind: type) -> tuple[Any, ...] | None:
    """All that makes a value of a kind that holds others; None of any other kind."""
    if kind is dict or kind is OrderedDict:
        return (*value, *value.values())
    if kind is tuple or kind is list:
        return tuple(value)
    if kind is ref:  # as `nn.RNNBase` has to its weights
        return (value(),)
    if kind is partial:
        return value.func, value.args, value.keywords
    if kind is FunctionType and not value.__closure__:
        return value.__code__, value.__defaults__, value.__kwdefaults__
    return None


def _is_same_tensor(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    are_comparable = tensor.dtype == other.dtype and tensor.device == other.device
    return are_comparable and is_dense(tensor) and is_dense(other) and torch.equal(tensor, other)
