"""Tells whether names that can change a verdict are still bound to what they were.

Threat: `torch.equal = lambda a, b: True`, `builtins.len = …`, `nn.Module.parameters = …` or
`sys.modules["copy"] = …` change what the probe computes or sees.

Watched, in this order, from what is asked first to what is asked last:

1. `sys.modules`, of the modules below;
2. `builtins`;
3. the names in `NAMES`, of modules of which the probe uses a few;
4. all functions, classes and constants of the modules in `MODULES`;
5. `CLASSES` and the simulated device's tensor classes: what they define, and names that would
   shadow what they inherit or that Python looks up (`SPECIAL`);
6. of the grader's own what works in a probe's process: modules, their classes and tables.

Up to Python 3.13 a dict says itself whether it was changed (PEP 509: each change gives it another
version), so that the values are not read: that would write to their reference counts, and in a
forked process so copy the pages that they are on.

Everything else may be bound again: the probe does not use it. Honest code adds names to PyTorch's
classes and modules, and `importlib.reload` makes equal functions again; neither counts.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import ctypes
import dataclasses
import gc
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import msgspec
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree

from grader.simulated_cuda import tensor_classes

HARMLESS_BUILTINS = frozenset(
    (
        "print", "input", "open", "help", "exit", "quit", "breakpoint", "copyright", "credits",
        "license", "display", "_", "__import__", "__build_class__", "__debug__",
    )
)  # fmt: skip
HARMLESS_IN_CLASSES = frozenset(("__doc__", "__format__", "__module__", "__repr__", "__str__"))
# tests/probe/containment/guard/test_namespaces.py holds these to what the probe's source names.
NAMES = {
    "torch": """
        Generator Size Tensor UntypedStorage arange autocast autograd backends cat cuda
        default_generator device dtype enable_grad equal from_numpy get_default_device
        get_default_dtype get_deterministic_debug_mode get_num_threads get_rng_state iinfo
        inference_mode is_autocast_enabled is_grad_enabled jit nn no_grad ones optim overrides
        rand randint randn random randperm set_anomaly_enabled set_default_device
        set_default_dtype set_deterministic_debug_mode set_grad_enabled set_num_threads
        set_rng_state stack strided tanh tensor utils version view_as_real where zeros
        zeros_like _C _GLOBAL_DEVICE_CONTEXT
    """,
    "torch.cuda": """
        current_device device_count get_device_name get_device_properties get_rng_state_all init
        is_available is_initialized manual_seed_all set_per_process_memory_fraction
        set_rng_state_all _lazy_init
    """,
    "torch.nn": """
        Buffer Module ModuleDict ModuleList Parameter ParameterDict ParameterList Sequential
        UninitializedBuffer UninitializedParameter modules parameter
    """,
    "torch._C": """
        DisableTorchFunction DisableTorchFunctionSubclass Generator TensorBase
        _get_dispatch_stack_at _get_function_stack_at _len_torch_dispatch_stack
        _len_torch_function_stack _pop_torch_dispatch_stack _pop_torch_function_stack
        _push_on_torch_function_stack
    """,
    "torch.autograd": "Function Variable backward grad",
    "torch.random": "fork_rng",
    "torch.nn.modules.loss": "_Loss",
    "torch.jit": "ScriptFunction ScriptModule",
    "torch.optim": "Optimizer",
    "torch.backends": "cudnn",
    "os": "fspath fstat read write",
    "time": "monotonic",
}
MODULES: tuple[ModuleType, ...] = (
    contextlib, copy, dataclasses, msgspec, msgspec.json, msgspec.structs, _pytree,
    nn.modules.module, nn.parameter,
)  # fmt: skip
CLASSES: tuple[type, ...] = (
    torch.Tensor, nn.Module, nn.Parameter, nn.Buffer, type(nn.Parameter), type(torch.Tensor),
    nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict,
    TorchFunctionMode, torch.autograd.Function, contextlib._GeneratorContextManager, msgspec.Struct,
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
WORKS_IN_A_PROBE = re.compile(r"grader\.(loading|probe|schema|simulated_cuda)(\.|$)").match
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
    """Record what the watched names are bound to now.

    Returns:
        a function that returns the first name that has been bound to something else, `""` if there
        is none. All that it calls is in its cells, to which no module, class or frame leads.
    """
    spaces = [*_spaces()]
    parts = tuple((s.name, s.live, tuple(s.values.items()), s.shadows) for s in spaces)
    versions = [*map(_version, (space.live for space in spaces))] if HAVE_VERSIONS else []
    join, recorded, to_bytes, step = b"".join, [b"".join(versions)], bytes, VERSION.size
    missing, added, is_reloaded = object(), COPYING_ADDS, _reloaded()
    size, as_set, each = len, frozenset, enumerate

    def changed() -> str:
        now = join(versions)
        if versions and now == recorded[0]:
            return ""
        for i, (name, live, values, shadows) in each(parts):
            if versions and to_bytes(versions[i]) == recorded[0][i * step : (i + 1) * step]:
                continue
            for key, value in values:
                found = live.get(key, missing)
                if found is not value and not is_reloaded(value, found):
                    return f"{name}.{key}"
            if shadows is None and size(live) != size(values):
                for key in as_set(live).difference(added, [key for key, _ in values]):
                    return f"{name}.{key}"
            for key in as_set(live).intersection(shadows or ()):
                return f"{name}.{key}"
        recorded[0] = now  # other dicts than before, and yet no watched name is bound again
        return ""

    # A cycle keeps it alive until the process exits: freeing it would decrement the reference count
    # of everything it holds, and so copy those pages in a forked process.
    vars(changed)["itself"] = changed
    return changed


def _version(names: Mapping[str, Any]) -> Any:
    """The memory of the version of a dict, or of that behind a class's mapping proxy."""
    owner = gc.get_referents(names)[0] if type(names) is MappingProxyType else names
    return (ctypes.c_char * VERSION.size).from_address(id(owner) + VERSION_AT)


def _try_out() -> bool:
    """Whether another value changes what stands where the version is expected."""
    tried = {"name": 0}
    before = bytes(_version(tried))
    tried["name"] = 1
    return bytes(_version(tried)) != before


VERSION, VERSION_AT = struct.Struct("Q"), struct.calcsize("nPn")  # CPython's cpython/dictobject.h
HAVE_VERSIONS = _try_out()


def _reloaded() -> Callable[[Any, Any], bool]:
    """A function that tells whether `now` is `before` made again by `importlib.reload`."""
    function, kind = FunctionType, type

    def reloaded(before: Any, now: Any) -> bool:
        return (
            kind(before) is kind(now) is function
            and now.__code__ == before.__code__
            and now.__globals__ is before.__globals__
            and now.__closure__ is None
        )

    return reloaded


def _spaces() -> Iterator[_Space]:
    """The watched namespaces, in the order of the list at the top of this file."""
    loaded = {name: sys.modules[name] for name in (*NAMES, *(m.__name__ for m in MODULES))}
    yield _Space("sys.modules", sys.modules, loaded)
    fixed = {k: v for k, v in vars(builtins).items() if k not in HARMLESS_BUILTINS}
    yield _Space("builtins", vars(builtins), fixed)
    for module_name, names in NAMES.items():
        space = vars(loaded[module_name])
        yield _Space(module_name, space, {k: space[k] for k in names.split() if k in space})
    for module in MODULES:
        space = {k: v for k, v in vars(module).items() if k[:2] != "__" and _is_fixed(v)}
        yield _Space(module.__name__, vars(module), space)
    for cls in (*CLASSES, *tensor_classes()):
        own = {key: value for key, value in vars(cls).items() if key not in HARMLESS_IN_CLASSES}
        yield _Space(f"{cls.__module__}.{cls.__qualname__}", vars(cls), own, _of(cls))
    yield from _spaces_of_ours()


def _spaces_of_ours() -> Iterator[_Space]:
    """All names of the grader's modules, their classes, and the entries of their dicts.

    Not the tables of the simulated device, which it fills while it computes.
    """
    for module_name in filter(WORKS_IN_A_PROBE, sys.modules):
        space = vars(sys.modules[module_name])
        yield _Space(module_name, space, {k: v for k, v in space.items() if k[:2] != "__"})
        for key, value in list(space.items()):
            if isinstance(value, type) and value.__module__ == module_name:
                yield _Space(f"{module_name}.{key}", vars(value), dict(vars(value)), None)
            is_table = type(value) in (dict, MappingProxyType) and not key.startswith("__")
            if is_table and not module_name.startswith(CACHES):
                yield _Space(f"{module_name}.{key}", value, dict(value), None)


def _of(cls: type) -> frozenset[str]:
    """Names that must not be added to a class: they would shadow inherited or special ones."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    return frozenset(inherited | SPECIAL) - frozenset(vars(cls)) - HARMLESS_IN_CLASSES


def _is_fixed(value: object) -> bool:
    if isinstance(value, type) and issubclass(value, BaseException):
        return False
    return isinstance(value, _FIXED) or callable(value)
