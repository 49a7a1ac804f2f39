"""Objects like those that PyTorch's C++ gives to Python, and the words of its errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import torch

from ...common.patches import Patch

_heard: set[str] = set()


def warn_once(message: str) -> None:
    """As C++'s TORCH_WARN_ONCE, which `torch.set_warn_always` makes warn each time."""
    if message not in _heard or torch.is_warn_always_enabled():
        _heard.add(message)
        warnings.warn(message, stacklevel=3)


def is_integer(value: Any) -> bool:
    """What `THPUtils_checkLong` takes: integers, also NumPy's, but no booleans."""
    return hasattr(value, "__index__") and not isinstance(value, bool | torch.Tensor)


def up_to_nul(message: str) -> str:
    """A message of C++ into which a device's number went as a character: it ends at device 0."""
    return message.partition("\0")[0]


def device_as_character(before: str, device: int, after: str) -> str:
    """A message with a device's number as one byte, which Python may fail to decode."""
    return (before.encode() + bytes([device % 256]) + after.encode()).decode()


def wrong_arguments(signature: str, *given: Any) -> TypeError:
    """The error of a function of pybind11 that has only this signature."""
    name = signature.partition("(")[0]
    invoked = ", ".join(map(repr, given))
    return TypeError(
        f"{name}(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. {signature.partition('(')[1]}{signature.partition('(')[2]}\n\n"
        f"Invoked with: {invoked}"
    )


class _Frozen:
    """An object of a class of C++: its values can neither be set nor pickled."""

    __slots__ = ("_values",)
    _values: Mapping[str, Any]

    def __init__(self) -> None:
        raise TypeError(f"{_whole(self)}: No constructor defined!")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{_whole(self)!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            getattr(self, name)
        object.__setattr__(self, name, value)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle {_whole(self)!r} object")


def _whole(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _value(attribute: str, of: _Frozen) -> Any:
    return of._values[attribute]


def frozen_class(name: str, values: Mapping[str, Any], **methods: Any) -> Any:
    """A class of `torch._C` whose objects have these attributes, which cannot be set."""
    made: Any = type(name, (_Frozen,), {"__module__": "torch._C", "__slots__": (), **methods})
    for attribute in values:  # set after the class is made, a property does not know its name
        setattr(made, attribute, property(partial(_value, attribute)))
    return made


def frozen(cls: Any, values: Mapping[str, Any]) -> Any:
    """An object of such a class."""
    made = object.__new__(cls)
    object.__setattr__(made, "_values", dict(values))
    return made


def c_functions(functions: Mapping[str, Any], why: str) -> Iterator[Patch]:
    """Patches of `torch._C` for functions without their prefix `_cuda_`: a CPU build has none.

    `torch.cuda.graphs` imports some by name, where PyTorch has them: those are patched there too.
    """
    for name, function in functions.items():
        for owner in (torch._C, torch.cuda.graphs):
            if owner is torch._C or f"_cuda_{name}" in vars(owner):
                yield Patch(owner, f"_cuda_{name}", function, why)
