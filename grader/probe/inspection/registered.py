"""What a module registers: its children, and the Parameters and buffers in their tables.

The first part of a walk, which many need alone; `walk.py` says the whole order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch import nn

from grader.probe.inspection.plain import dict_of, dict_of_module
from grader.schema import Holder, Role

_SCRIPT = torch.jit.ScriptModule
_INDEXED = (nn.ModuleList, nn.Sequential, nn.ParameterList)
_KEYED = (nn.ModuleDict, nn.ParameterDict)
Registered = tuple[nn.Module, str, str]  # a module, its path, and the prefix of its names


class Reached(NamedTuple):
    """A tensor, and how it was reached.

    Attributes:
        path: in Python, from `self`: `self.layers[0].weight`.
        owner: the class of the registered module that leads to it.
        attribute: the attribute of that module that leads to it.
        name: in the `state_dict`, `""` if it is not registered.
        holder: the container or object that hides it from PyTorch.
        in_loss: whether it belongs to a loss function.
    """

    tensor: torch.Tensor
    path: str
    owner: type
    attribute: str
    name: str = ""
    role: Role = "plain"
    persistent: bool = True
    holder: Holder | None = None
    in_loss: bool = False


def is_a(value: object, *kinds: type) -> bool:
    """`isinstance` by the real type: `isinstance` asks `value.__class__`, which may run code."""
    return issubclass(type(value), kinds)


def registered_modules(
    module: nn.Module, path: str = "self", prefix: str = ""
) -> Iterator[Registered]:
    """Every registered module once, with its path and the prefix of its names."""
    stack, visited = [(module, path, prefix)], {id(module)}
    while stack:
        found = stack.pop()
        yield found
        parent, path, prefix = found
        if not (registered := table(parent, "_modules")):  # as of most
            continue
        write, children = step_of(parent), []
        for name, child in _items(registered):
            if child is not None and id(child) not in visited:
                visited.add(id(child))
                children.append((child, path + write(name), f"{prefix}{name}."))
        stack += reversed(children)


def registered_tensors(module: nn.Module, path: str, prefix: str) -> Iterator[Reached]:
    """The Parameters and buffers in one module's own tables.

    Args:
        module: the module.
        path: leads to it in Python, such as `self.layers[0]`.
        prefix: of its names in the `state_dict`, such as `layers.0.`.
    """
    parameters, buffers = table(module, "_parameters"), table(module, "_buffers")
    if not parameters and not buffers:  # as of most
        return
    owner, write = type(module), step_of(module)
    for name, tensor in _items(parameters):
        if tensor is not None:
            yield Reached(tensor, path + write(name), owner, name, prefix + name, "parameter")
    if not buffers:
        return
    not_saved = table(module, "_non_persistent_buffers_set")
    for name, tensor in _items(buffers):
        if tensor is not None:
            where, persistent = path + write(name), name not in not_saved
            yield Reached(tensor, where, owner, name, prefix + name, "buffer", persistent)


def registered_once(module: nn.Module) -> list[Reached]:
    """All Parameters and buffers of a module and its children; tied ones once, by first name."""
    return tensors_once(registered_modules(module))


def tensors_once(modules: Iterable[Registered]) -> list[Reached]:
    """As `registered_once`, of what `registered_modules` gave."""
    found: dict[int, Reached] = {}
    for child, path, prefix in modules:
        if _has_tensors(child):
            for reached in registered_tensors(child, path, prefix):
                found.setdefault(id(reached.tensor), reached)
    return list(found.values())


def _has_tensors(module: nn.Module) -> bool:
    """Whether anything may be in its own tables. Hot path: most modules only hold others."""
    if issubclass(type(module), _SCRIPT):
        return True
    own = dict_of_module(module)
    return bool(own.get("_parameters") or own.get("_buffers"))


def table(module: nn.Module, name: str) -> Any:
    """PyTorch's own table of that name (`_parameters`, `_buffers`, `_modules`) in the instance."""
    if issubclass(type(module), _SCRIPT):  # kept in C++
        return getattr(module, name)
    return dict_of_module(module).get(name, {})


def has_begun(module: nn.Module) -> bool:
    """Whether `nn.Module.__init__` has run."""
    return is_a(module, torch.jit.ScriptModule) or "_parameters" in dict_of(module)


def entries(module: nn.Module, name: str) -> list[tuple[str, Any]]:
    """Names and values in the table of that name."""
    return _items(table(module, name))


def _items(registered: Any) -> list[tuple[str, Any]]:
    """The items of such a table: a dict, or TorchScript's."""
    if type(registered) is dict:
        return list(registered.items())
    return list(dict.items(registered) if is_a(registered, dict) else registered.items())


def step_of(parent: nn.Module) -> Callable[[str], str]:
    """What gives the Python expression for a child by its name: `[0]`, `["key"]` or `.name`."""
    kind = type(parent)
    if issubclass(kind, _INDEXED):
        return _index
    return _key if issubclass(kind, _KEYED) else _dot


def _index(name: str) -> str:
    return f"[{name}]" if name.isdigit() else f".{name}"


def _key(name: str) -> str:
    return f'["{name}"]'


def _dot(name: str) -> str:
    return f".{name}"


def gpus_of(module: nn.Module) -> set[str]:
    """The CUDA devices of what a module registers."""
    places = (entry.tensor.device for entry in registered_once(module))
    return {str(place) for place in places if place.type == "cuda"}
