"""Reads objects without running code of their classes.

Threat: `value.attribute`, `len(value)` and `value[0]` may run the learner's code, among the probe's
frames. So this module calls the slots of built-in types directly: `dict.items(value)`, the getter
of `__dict__`, `type.mro(cls)`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import torch

from grader.probe.inspection.library import is_learners

_SEQUENCES: tuple[Any, ...] = (tuple, list, set, frozenset, deque)
_UNNAMED = (set, frozenset)
_MODULE = torch.nn.Module
_DICT_OF_MODULE = vars(_MODULE)["__dict__"].__get__


def dict_of(value: object) -> dict[str, Any]:
    """`vars(value)`, through the `__dict__` descriptor of its class; empty if there is none."""
    if issubclass(type(value), _MODULE):
        return dict_of_module(value)
    for base in type.mro(type(value)):
        found = type.__getattribute__(base, "__dict__").get("__dict__")
        if type(found) is GetSetDescriptorType:
            own = found.__get__(value)
            return own if type(own) is dict else dict(dict.items(own))
    return {}


def dict_of_module(module: Any) -> dict[str, Any]:
    """`vars(module)`. Hot path: any descriptor of its classes reads the same dictionary."""
    own = _DICT_OF_MODULE(module)
    return own if type(own) is dict else dict(dict.items(own))


def slots_of(value: object) -> Iterator[tuple[str, Any]]:
    """Names and values of `__slots__` that the learner's classes define."""
    for base in type.mro(type(value)):
        for name, slot in list(type.__getattribute__(base, "__dict__").items()):
            if type(slot) is MemberDescriptorType and is_learners(base):
                try:
                    yield name, slot.__get__(value)
                except AttributeError:  # it holds nothing yet
                    continue


def size_of(container: Any) -> int | None:
    """How many entries a dict, list, tuple, set or deque has; None for anything else."""
    for kind in (dict, *_SEQUENCES):
        if issubclass(type(container), kind):
            return int(kind.__len__(container))
    return None


def entries_of(container: Any) -> Iterator[tuple[str, Any]] | None:
    """Pairs of a subscript (`[0]`, `['key']`) and a value; None if it is not a container.

    Subclasses of dict and of sequences are read as such, whatever they override. Another Mapping is
    asked for its items if its class is a library's; a learner's counts as an object.
    """
    if issubclass(type(container), dict):
        return ((f"[{safe_repr(key)}]", value) for key, value in dict.items(container))
    for kind in _SEQUENCES:
        if issubclass(type(container), kind):
            values = enumerate(kind.__iter__(container))
            return (("{…}" if kind in _UNNAMED else f"[{i}]", value) for i, value in values)
    if issubclass(type(container), Mapping) and not is_learners(type(container)):
        return ((f"[{safe_repr(key)}]", container[key]) for key in container)
    return None


def safe_repr(key: object) -> str:
    """The `repr` of a key of a built-in type; for others, whose `repr` may run code, the type."""
    if type(key) in (str, int, float, bool, type(None), bytes, complex):
        return repr(key)
    return str(type.__getattribute__(type(key), "__name__"))


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a `torch.Tensor` view of the same memory if its class is the learner's."""
    if not is_learners(type(tensor)):
        return tensor
    with torch._C.DisableTorchFunctionSubclass():
        return torch._C.TensorBase.as_subclass(tensor, torch.Tensor)


def is_on_meta(tensor: torch.Tensor) -> bool:
    """As `tensor.is_meta`, without running the tensor's code."""
    return plain(tensor).is_meta


def is_parameter(tensor: torch.Tensor) -> bool:
    """As `isinstance(tensor, nn.Parameter)`, without running the tensor's code.

    `_ParameterMeta.__instancecheck__` (torch/nn/parameter.py) accepts `_is_param` as well.
    """
    return issubclass(type(tensor), torch.nn.Parameter) or bool(dict_of(tensor).get("_is_param"))
