"""Whether PyTorch, Python and the grader are still what they were before the learner's code ran."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import linecache
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import is_
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import msgspec
import numpy
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext

from grader.probe.guard.imprint import Imprints
from grader.simulated_cuda import tensor_classes

MODULES: tuple[ModuleType, ...] = (
    builtins, copy, dataclasses, linecache, math, msgspec, msgspec.json, numpy, numpy.random,
    torch, torch._C, torch.autograd, torch.cuda, torch.overrides, torch.random, torch.utils,
    nn, nn.functional, nn.init, nn.modules.module, nn.parameter,
)  # fmt: skip
CLASSES: tuple[type, ...] = (
    torch.Tensor, torch._C.TensorBase, nn.Module, nn.Parameter, nn.Buffer, type(nn.Parameter),
    type(torch.Tensor), torch.Generator, torch.Size, nn.Sequential, nn.ModuleList, nn.ModuleDict,
    nn.ParameterList, nn.ParameterDict, TorchFunctionMode, torch.autograd.Function,
)  # fmt: skip
COPYING_ADDS = {"__slotnames__"}
MISSING = object()
_FIXED = (FunctionType, type, ModuleType, tuple, frozenset, str)
_stack_size = torch._C._len_torch_function_stack
_mode_at = torch._C._get_function_stack_at
_dispatch_stack_size = torch._C._len_torch_dispatch_stack


@dataclass(frozen=True)
class _Space:
    """The names of a module, class or table, and what they were bound to."""

    name: str
    live: Mapping[str, Any]
    names: tuple[str, ...]
    values: tuple[Any, ...]
    is_closed: bool

    @classmethod
    def of(cls, name: str, live: Mapping[str, Any], is_closed: bool = False) -> _Space:
        """It as it is now; one that is closed may get no new names."""
        kept = {key: value for key, value in live.items() if is_closed or _is_fixed(value)}
        return cls(name, live, tuple(kept), tuple(kept.values()), is_closed)

    def changed(self) -> str:
        """The first name that is bound to something else, or is new where none should be."""
        if not all(map(is_, map(self.live.get, self.names), self.values)):
            for name, value in zip(self.names, self.values, strict=True):
                if self.live.get(name, MISSING) is not value:
                    return f"{self.name}.{name}"
        if self.is_closed and len(self.live) != len(self.names):
            new = set(self.live) - set(self.names) - COPYING_ADDS
            return f"{self.name}.{min(new)}" if new else ""
        return ""


class Seal:
    """Remembers them all."""

    def __init__(self) -> None:
        self._spaces = tuple(_spaces())
        self._imprints = Imprints(each.live for each in self._spaces)
        self._modes = _modes()
        self._dispatch_modes = _dispatch_stack_size()

    def broken(self) -> str:
        """What was changed, in words; `""` if nothing was."""
        perhaps = self._imprints.changed()
        for i in perhaps:
            if name := self._spaces[i].changed():
                return f"`{name}` was replaced"
        self._imprints.renew(perhaps)  # what did change does not matter
        return self._left_on()

    def _left_on(self) -> str:
        """A mode that sees every operation of PyTorch, of the probe's too."""
        for mode in _modes():
            is_old = any(mode is each for each in self._modes)
            if not is_old and type(mode) is not DeviceContext:  # `set_default_device` leaves that
                return f"`{type(mode).__name__}`, a mode of PyTorch, was left on"
        if _dispatch_stack_size() > self._dispatch_modes:
            return "a dispatch mode of PyTorch was left on"
        return ""


def _modes() -> list[Any]:
    """The modes that are on. `set_default_device` puts its own below those that were there."""
    return [_mode_at(i) for i in range(_stack_size())]


def _spaces() -> Iterator[_Space]:
    loaded = {name: sys.modules[name] for name in (*_ours(), *(each.__name__ for each in MODULES))}
    yield _Space("sys.modules", sys.modules, tuple(loaded), tuple(loaded.values()), is_closed=False)
    for module in MODULES:
        yield _Space.of(module.__name__, vars(module))
    for cls in (*CLASSES, *tensor_classes()):
        yield _Space.of(f"{cls.__module__}.{cls.__qualname__}", vars(cls), is_closed=True)
    for name in _ours():
        space = vars(sys.modules[name])
        yield _Space.of(name, space)
        for key, value in list(space.items()):
            if isinstance(value, type) and value.__module__ == name:
                yield _Space.of(f"{name}.{key}", vars(value), is_closed=True)
            elif isinstance(value, dict | MappingProxyType) and not key.startswith("__"):
                yield _Space.of(f"{name}.{key}", value)


def _ours() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "grader"]


def _is_fixed(value: object) -> bool:
    return isinstance(value, _FIXED) or callable(value)
