"""Whether two modules hold the same, as far as looking tells."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from types import FunctionType, GetSetDescriptorType, MethodType
from typing import Any
from weakref import ref

import torch
from torch import nn

from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.values import is_dense

CHILDREN = "_modules"  # where `nn.Module` keeps what is compared as modules
DEEPEST = 5  # containers in containers
ATOMS = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device, torch.Size)
_ATOMS = frozenset(map(id, ATOMS))  # a metaclass may have an `__eq__`
Twins = dict[int, nn.Module]  # by the id of a registered module, the other instance's


class _Plain:
    """As large as an object that keeps all it has in `__dict__`."""


def have_equal_state(one: nn.Module, other: nn.Module) -> bool:
    """Whether all that their registered modules hold is seen to be equal.

    False where looking does not tell: of an object that C code made, of a tensor without dense
    values.
    """
    ones = list(registered_modules(one))
    others = list(registered_modules(other))
    if [path for _, path, _ in ones] != [path for _, path, _ in others]:
        return False
    twins = {id(module): twin for (module, _, _), (twin, _, _) in zip(ones, others, strict=True)}
    return all(
        type(module) is type(twin) and _are_same(module, twin, twins)
        for (module, _, _), (twin, _, _) in zip(ones, others, strict=True)
    )


def _are_same(module: nn.Module, twin: nn.Module, twins: Twins) -> bool:
    held, other = dict_of(module), dict_of(twin)
    return held.keys() == other.keys() and all(
        value is other[name] or name == CHILDREN or _is_same(value, other[name], twins)
        for name, value in held.items()
    )


def _is_same(value: Any, other: Any, twins: Twins, depth: int = 0) -> bool:
    """Whether two values are seen to be equal.

    In this order:

    1. One object that both hold is the same.
    2. Another type is another value; deeper than `DEEPEST` nobody looks.
    3. Two empty dicts are equal, as most in a module are.
    4. Atoms are compared by `==`, tensors by their numbers, sets if they hold atoms alone.
    5. A registered module is the same if it stands at the same path in both.
    6. Whatever else is the same if it is made of as many parts (`_parts_of`), each the same.
    """
    kind = type(value)
    if value is other:  # both share it
        return True
    if kind is not type(other) or depth > DEEPEST:
        return False
    if (kind is OrderedDict or kind is dict) and not value and not other:  # as most in a module
        return True
    if id(kind) in _ATOMS:
        return bool(value == other)
    if kind is torch.Tensor or kind is nn.Parameter:
        return _is_same_tensor(value, other)
    if kind is set or kind is frozenset:
        return all(id(type(member)) in _ATOMS for member in value | other) and bool(value == other)
    if id(value) in twins:
        return twins[id(value)] is other
    parts, others = _parts_of(value, kind), _parts_of(other, kind)
    if parts is None or others is None or len(parts) != len(others):
        return False
    return all(_is_same(*pair, twins, depth + 1) for pair in zip(parts, others, strict=True))


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
    if kind is MethodType:
        return value.__func__, value.__self__
    if kind is FunctionType:
        return _parts_of_function(value)
    if _is_plain(kind):
        held = dict_of(value)
        return (*held, *held.values())
    return None


def _is_plain(kind: type) -> bool:
    """Whether an object of it keeps all that it has in `__dict__`.

    That is: it is as large as one of `_Plain`, without items of a variable size, and the class just
    below `object` brought the `__dict__`. A class with slots, or one written in C, is larger or has
    none: such an object may hold what is not seen.
    """
    size = kind.__basicsize__, kind.__itemsize__
    first = type.mro(kind)[-2:][0]  # the one below `object`
    own = type.__getattribute__(first, "__dict__").get("__dict__")
    return size == (_Plain.__basicsize__, 0) and type(own) is GetSetDescriptorType


def _parts_of_function(function: FunctionType) -> tuple[Any, ...] | None:
    """Of a function whose closure refers to nothing yet: None."""
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        return None
    held = function.__code__, function.__defaults__, function.__kwdefaults__, function.__dict__
    return (*held, *cells)


def _is_same_tensor(tensor: torch.Tensor, other: torch.Tensor) -> bool:
    are_comparable = tensor.dtype == other.dtype and tensor.device == other.device
    return are_comparable and is_dense(tensor) and is_dense(other) and torch.equal(tensor, other)
