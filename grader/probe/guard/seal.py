"""Whether PyTorch, Python and the grader are still what they were before the learner's code ran."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import linecache
import math
import sys
from collections.abc import Iterator, Mapping
from operator import is_
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import msgspec
import numpy
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext

from grader.simulated_cuda.tensor import CudaTensor

MODULES: tuple[ModuleType, ...] = (
    builtins, copy, dataclasses, linecache, math, msgspec, msgspec.json, numpy, numpy.random,
    torch, torch._C, torch.autograd, torch.cuda, torch.overrides, torch.random, torch.utils,
    nn, nn.functional, nn.init, nn.modules.module, nn.parameter,
)  # fmt: skip
CLASSES: tuple[type, ...] = (
    torch.Tensor, torch._C.TensorBase, nn.Module, nn.Parameter, nn.Buffer, type(nn.Parameter),
    type(torch.Tensor), torch.Generator, torch.Size, nn.Sequential, nn.ModuleList, nn.ModuleDict,
    nn.ParameterList, nn.ParameterDict, TorchFunctionMode, CudaTensor, torch.autograd.Function,
)  # fmt: skip
COPYING_ADDS = {"__slotnames__"}
MISSING = object()
_FIXED = (FunctionType, type, ModuleType, tuple, frozenset, str)
_stack_size = torch._C._len_torch_function_stack
_mode_at = torch._C._get_function_stack_at
_dispatch_stack_size = torch._C._len_torch_dispatch_stack


class _Space:
    """The names of a module, class or table, and what they were bound to."""

    def __init__(self, name: str, live: Mapping[str, Any], is_closed: bool) -> None:
        self.name, self.live, self.is_closed = name, live, is_closed
        kept = live.items() if is_closed else ((k, v) for k, v in live.items() if _is_fixed(v))
        pairs = list(kept)
        self.names = tuple(name for name, _ in pairs)
        self.values = tuple(value for _, value in pairs)

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
        self._loaded = [(name, sys.modules[name]) for name in _ours()]
        self._loaded += [(module.__name__, module) for module in MODULES]
        self._modes = _modes()
        self._dispatch_modes = _dispatch_stack_size()

    def broken(self) -> str:
        """What was changed, in words; `""` if nothing was."""
        for space in self._spaces:
            if name := space.changed():
                return f"`{name}` was replaced"
        for name, module in self._loaded:
            if sys.modules.get(name) is not module:
                return f"`sys.modules[{name!r}]` was replaced"
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
    for module in MODULES:
        yield _Space(module.__name__, vars(module), is_closed=False)
    for cls in CLASSES:
        yield _Space(f"{cls.__module__}.{cls.__qualname__}", vars(cls), is_closed=True)
    for name in _ours():
        space = vars(sys.modules[name])
        yield _Space(name, space, is_closed=False)
        for key, value in list(space.items()):
            if isinstance(value, type) and value.__module__ == name:
                yield _Space(f"{name}.{key}", vars(value), is_closed=True)
            elif isinstance(value, dict | MappingProxyType) and not key.startswith("__"):
                yield _Space(f"{name}.{key}", value, is_closed=False)


def _ours() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "grader"]


def _is_fixed(value: object) -> bool:
    return isinstance(value, _FIXED) or callable(value)
