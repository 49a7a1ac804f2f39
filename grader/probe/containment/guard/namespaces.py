"""Tells whether names that can change a verdict are still bound to what they were.

Threat: `torch.equal = lambda a, b: True`, `builtins.len = …`, `nn.Module.parameters = …` or
`sys.modules["copy"] = …` change what the probe computes or sees.

Watched, in this order, from what is asked first to what is asked last:

1. `sys.modules`, of the modules below;
2. `builtins`;
3. the names in `NAMES`, of modules of which the probe uses a few;
4. all functions, classes and constants of the modules in `MODULES`;
5. `TABLES`, in which a type's handler must not be exchanged;
6. `CLASSES` and the simulated device's tensor classes: what they define, and names that would
   shadow what they inherit or that Python looks up (`SPECIAL`);
7. all of the grader's own modules, their classes and tables, and defaults of keywords.

And of all functions among these what their closures hold (`cells`).

Everything else may be bound again: the probe does not use it. Honest code adds names to PyTorch's
classes and modules, and `importlib.reload` makes equal functions again; neither counts.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import dataclasses
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import msgspec
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree

from grader.probe.containment.guard.cells import functions_in, watched_cells
from grader.probe.containment.guard.dict_fingerprint import fingerprints
from grader.probe.inspection.library import LIBRARY_PREFIXES
from grader.simulated_cuda import tensor_classes

HARMLESS_BUILTINS = frozenset(
    (
        "print", "input", "open", "help", "exit", "quit", "breakpoint", "copyright", "credits",
        "license", "display", "_", "__import__", "__build_class__", "__debug__",
    )
)  # fmt: skip
HARMLESS_IN_CLASSES = frozenset(("__doc__", "__format__", "__module__", "__repr__", "__str__"))
# tests/probe/containment/guard/test_namespaces.py holds these to what the probe's source names.
OF_TORCH = (
    "Generator", "Size", "Tensor", "UntypedStorage", "_C", "_GLOBAL_DEVICE_CONTEXT", "arange",
    "autocast", "autograd", "backends", "cat", "cuda", "default_generator", "device", "dtype",
    "enable_grad", "equal", "from_numpy", "get_default_device", "get_default_dtype",
    "get_deterministic_debug_mode", "get_num_threads", "get_rng_state", "iinfo",
    "inference_mode", "is_autocast_enabled", "is_grad_enabled", "jit", "nn", "no_grad", "ones",
    "optim", "overrides", "rand", "randint", "randn", "random", "randperm", "set_anomaly_enabled",
    "set_default_device", "set_default_dtype", "set_deterministic_debug_mode",
    "set_grad_enabled", "set_num_threads", "set_rng_state", "stack", "strided", "tanh", "tensor",
    "utils", "version", "view_as_real", "where", "zeros", "zeros_like",
)  # fmt: skip
OF_CUDA = (
    "device_count", "get_device_name", "get_device_properties", "get_rng_state_all",
    "is_available", "manual_seed_all", "set_per_process_memory_fraction", "set_rng_state_all",
    "current_device", "init", "_lazy_init", "is_initialized",
)  # fmt: skip
OF_NN = (
    "Buffer", "Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList",
    "Sequential", "UninitializedBuffer", "UninitializedParameter", "modules", "parameter",
)  # fmt: skip
NAMES: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (torch, OF_TORCH),
    (torch.cuda, OF_CUDA),
    (nn, OF_NN),
    (torch.autograd, ("backward", "grad", "Function", "Variable")),
    (torch.random, ("fork_rng",)),
    (nn.modules.loss, ("_Loss",)),
    (torch.jit, ("ScriptFunction", "ScriptModule")),
    (torch.optim, ("Optimizer",)),
    (torch.backends, ("cudnn",)),
    (os, ("write", "read", "fspath", "fstat")),
    (time, ("monotonic",)),
)
MODULES: tuple[ModuleType, ...] = (
    contextlib, copy, dataclasses, msgspec, msgspec.json, msgspec.structs, torch._C, _pytree,
    nn.modules.module, nn.parameter,
)  # fmt: skip
# What is registered for a type may not be exchanged; more types may be registered.
TABLES: dict[str, Any] = {
    "torch.utils._pytree.SUPPORTED_NODES": _pytree.SUPPORTED_NODES,
    "copy._deepcopy_dispatch": vars(copy)["_deepcopy_dispatch"],
    "copy._copy_dispatch": vars(copy)["_copy_dispatch"],
}
CLASSES: tuple[type, ...] = (
    torch.Tensor, torch._C.TensorBase, nn.Module, nn.Parameter, nn.Buffer, type(nn.Parameter),
    type(torch.Tensor), torch.Generator, torch.Size, nn.Sequential, nn.ModuleList, nn.ModuleDict,
    nn.ParameterList, nn.ParameterDict, TorchFunctionMode, torch.autograd.Function,
    contextlib._GeneratorContextManager, msgspec.Struct,
)  # fmt: skip
# Names that Python itself looks up in a class: new ones change what an object is and does.
SPECIAL = frozenset(
    (
        "__bool__", "__class__", "__copy__", "__deepcopy__", "__del__", "__delattr__", "__dict__",
        "__eq__", "__getattr__", "__getattribute__", "__getstate__", "__hash__",
        "__index__", "__instancecheck__", "__iter__", "__len__", "__reduce__", "__reduce_ex__",
        "__set__", "__setattr__", "__setstate__", "__subclasscheck__",
        "__torch_dispatch__", "__torch_function__", "mro",
    )
)  # fmt: skip
CACHES = "grader.simulated_cuda."  # its tables are filled while it computes
COPYING_ADDS = frozenset(("__slotnames__",))
_FIXED = (FunctionType, type, ModuleType, tuple, frozenset, str)

Changed = Callable[[], str]


@dataclass(frozen=True)
class _Space:
    """Names of a module, class or table, and the values they were bound to.

    Attributes:
        name: how a report calls it.
        live: the namespace itself.
        values: the watched names with their values when the snapshot was taken.
        shadows: names that must not be added; None if no name may be added.
    """

    name: str
    live: Mapping[str, Any]
    values: Mapping[str, Any]
    shadows: frozenset[str] | None = frozenset()


def snapshot() -> Changed:
    """Record what the watched names are bound to now, and what their functions hold.

    Returns:
        a function that returns the first name that has been bound to something else, `""` if there
        is none. All that it calls is in its cells, to which no module, class or frame leads.
    """
    spaces = [*_spaces()]
    values = [(f"{s.name}.{key}", value) for s in spaces for key, value in s.values.items()]
    rebound = _watched_names([*spaces, *_keyword_defaults(values)])
    exchanged = watched_cells(values)

    def changed() -> str:
        return exchanged() or rebound()

    # A cycle keeps it alive until the process exits: freeing it would decrement the reference count
    # of everything it holds, and so copy those pages in a forked process.
    vars(changed)["itself"] = changed
    return changed


def _watched_names(spaces: Sequence[_Space]) -> Changed:
    perhaps_changed, renew = fingerprints(space.live for space in spaces)
    parts = tuple(
        (s.name, s.live, tuple(s.values), tuple(s.values.values()), s.shadows) for s in spaces
    )
    missing, proxy, added, is_reloaded = object(), MappingProxyType, COPYING_ADDS, _reloaded()
    get: Any = dict.get
    get_of_proxy: Any = proxy.get
    size, kind, pairs, as_set = len, type, zip, frozenset

    def changed() -> str:
        perhaps = perhaps_changed()
        for i in perhaps:
            name, live, names, values, shadows = parts[i]
            read = get_of_proxy if kind(live) is proxy else get
            for key, value in pairs(names, values):
                now = read(live, key, missing)
                if now is not value and not is_reloaded(value, now):
                    return f"{name}.{key}"
            if shadows is None and size(live) != size(names):
                for key in as_set(live) - as_set(names) - added:
                    return f"{name}.{key}"
            if shadows:
                for key in shadows & as_set(live):
                    return f"{name}.{key}"
        if perhaps:
            renew(perhaps)  # they differ in memory, but no watched name does
        return ""

    return changed


def _reloaded() -> Callable[[Any, Any], bool]:
    """A function that tells whether `now` is `before` made again by `importlib.reload`.

    That is: equal code from the same file of a library, no closure, and equal defaults.
    """
    function, library_prefixes, begins_with, kind = (
        FunctionType,
        LIBRARY_PREFIXES,
        str.startswith,
        type,
    )
    size, every, pairs = len, all, zip

    def reloaded(before: Any, now: Any) -> bool:
        if kind(before) is not function or kind(now) is not function:
            return False
        code, had, has = now.__code__, before.__defaults__ or (), now.__defaults__ or ()
        return (
            code == before.__code__
            and code.co_filename == before.__code__.co_filename
            and begins_with(code.co_filename, library_prefixes)
            and now.__closure__ is None
            and size(had) == size(has)
            and every(a is b or a == b or reloaded(a, b) for a, b in pairs(had, has))
        )

    return reloaded


def _spaces() -> Iterator[_Space]:
    """The watched namespaces, in the order of the list at the top of this file."""
    used = {module.__name__ for module, _ in NAMES} | {module.__name__ for module in MODULES}
    loaded = {name: sys.modules[name] for name in used}
    yield _Space("sys.modules", sys.modules, loaded)
    fixed = {k: v for k, v in vars(builtins).items() if k not in HARMLESS_BUILTINS}
    yield _Space("builtins", vars(builtins), fixed)
    for module, names in NAMES:
        space = vars(module)
        yield _Space(module.__name__, space, {k: space[k] for k in names if k in space})
    for module in MODULES:
        space = {k: v for k, v in vars(module).items() if k[:2] != "__" and _is_fixed(v)}
        yield _Space(module.__name__, vars(module), space)
    for name, table in TABLES.items():
        yield _Space(name, table, dict(table))
    for cls in (*CLASSES, *tensor_classes()):
        own = {key: value for key, value in vars(cls).items() if key not in HARMLESS_IN_CLASSES}
        yield _Space(f"{cls.__module__}.{cls.__qualname__}", vars(cls), own, _of(cls))
    yield from _spaces_of_ours()


def _spaces_of_ours() -> Iterator[_Space]:
    """All names of the grader's modules, their classes, and the entries of their dicts.

    Not the tables of the simulated device, which it fills while it computes.
    """
    for module_name in _ours():
        space = vars(sys.modules[module_name])
        yield _Space(module_name, space, dict(space))
        for key, value in list(space.items()):
            if isinstance(value, type) and value.__module__ == module_name:
                yield _Space(f"{module_name}.{key}", vars(value), dict(vars(value)), None)
            is_table = type(value) in (dict, MappingProxyType) and not key.startswith("__")
            if is_table and not module_name.startswith(CACHES):
                yield _Space(f"{module_name}.{key}", value, dict(value), None)


def _keyword_defaults(values: Iterable[tuple[str, Any]]) -> Iterator[_Space]:
    """The defaults of functions' keywords: a dict, to which no audit event belongs."""
    for name, value in values:
        for function in functions_in(value):
            if defaults := function.__kwdefaults__:
                yield _Space(f"{name}.__kwdefaults__", defaults, dict(defaults), None)


def _of(cls: type) -> frozenset[str]:
    """Names that must not be added to a class: they would shadow inherited or special ones."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    return frozenset(inherited | SPECIAL) - frozenset(vars(cls)) - HARMLESS_IN_CLASSES


def _ours() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "grader"]


def _is_fixed(value: object) -> bool:
    if isinstance(value, type) and issubclass(value, BaseException):
        return False
    return isinstance(value, _FIXED) or callable(value)
