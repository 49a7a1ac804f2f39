"""Reads objects past whatever their classes override, so that no code of a learner's runs.

What a module or container answers may be the learner's code, which would then run among the probe's
frames. Its `__dict__`, the entries of a dict and the numbers of a tensor can be had without asking.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import torch

from grader.inspection.library import is_learners

_SEQUENCES: tuple[Any, ...] = (tuple, list, set, frozenset, deque)
_UNNAMED = (set, frozenset)


def dict_of(value: object) -> dict[str, Any]:
    """Its attributes, as `vars(value)`; empty where it has none of its own."""
    for base in type.mro(type(value)):
        found = type.__getattribute__(base, "__dict__").get("__dict__")
        if type(found) is GetSetDescriptorType:
            own = found.__get__(value)
            return own if type(own) is dict else dict(dict.items(own))
    return {}


def slots_of(value: object) -> Iterator[tuple[str, Any]]:
    """What its slots hold, by their names."""
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
    """The entries of a container, each with the step to it; None if it is none that can be read.

    A mapping that a library defines is asked; one that a learner defines is an object like others.
    """
    if issubclass(type(container), dict):
        return ((f"[{shown(key)}]", value) for key, value in dict.items(container))
    for kind in _SEQUENCES:
        if issubclass(type(container), kind):
            values = enumerate(kind.__iter__(container))
            return (("{…}" if kind in _UNNAMED else f"[{i}]", value) for i, value in values)
    if issubclass(type(container), Mapping) and not is_learners(type(container)):
        return ((f"[{shown(key)}]", container[key]) for key in container)
    return None


def shown(key: object) -> str:
    """A key as in source text; its type's name where its text is the learner's or an address."""
    if type(key) in (str, int, float, bool, type(None), bytes, complex):
        return repr(key)
    return str(type.__getattribute__(type(key), "__name__"))


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or one with the same memory where its class is the learner's."""
    if not is_learners(type(tensor)):
        return tensor
    with torch._C.DisableTorchFunctionSubclass():
        return torch._C.TensorBase.as_subclass(tensor, torch.Tensor)


def is_parameter(tensor: torch.Tensor) -> bool:
    """As `isinstance(tensor, nn.Parameter)`, which asks the tensor."""
    return issubclass(type(tensor), torch.nn.Parameter) or bool(dict_of(tensor).get("_is_param"))
