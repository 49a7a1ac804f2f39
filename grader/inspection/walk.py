"""Walks everything that a module leads to: registered tensors, and those that it only holds.

1. Registered modules, depth first, and the Parameters and buffers in their tables.
2. The other attributes of each, and from there dicts, sequences, partials, bound methods, closures
   and attributes of any object, up to `DEEPEST` steps and `MOST_OBJECTS` objects.
3. Of a module met on the way that is not registered, its own registered tensors and attributes.

The first path to a tensor in this order is the one that reports show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn

from grader.evidence import Holder, Role
from grader.inspection.plain import dict_of, dict_of_module, entries_of, size_of, slots_of

MOST_OBJECTS = 20_000  # visited besides registered modules and tensors
MOST_ENTRIES = 2_000  # looked at in one container
DEEPEST = 8  # steps from an attribute

GENERATOR = torch._C.Generator  # the C class; the simulated device replaces `torch.Generator`


class Observer:
    """Base of what the grader itself puts into a module: no walk goes through it."""


_MODULE_INTERNALS = frozenset(vars(nn.Module()))
_NEVER_HOLD_TENSORS = (
    str, bytes, int, float, complex, bool, type, ModuleType,
    torch.device, torch.dtype, torch.Size,
    torch.jit.ScriptModule, torch.jit.ScriptFunction, type(None),
    Observer,
    torch.optim.Optimizer,  # probe/audit/optimizers.py inspects them
)  # fmt: skip
_SCRIPT = torch.jit.ScriptModule
_INDEXED = (nn.ModuleList, nn.Sequential, nn.ParameterList)
_KEYED = (nn.ModuleDict, nn.ParameterDict)
_FUNC, _ARGS, _KEYWORDS = partial.func.__get__, partial.args.__get__, partial.keywords.__get__


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


@dataclass(frozen=True)
class Hidden:
    """A module that is held but not registered."""

    module: nn.Module
    path: str
    owner: type
    attribute: str


class Walk:
    """Walks what a module registers, then everything else its objects hold, within a budget.

    Attributes:
        reached: every tensor. hidden: modules that are not registered.
        generators: the paths of the `torch.Generator`s.
        large: containers with too many entries to look at them all.
        given_up: what was not looked into, and why.
    """

    def __init__(self, module: nn.Module) -> None:
        self.reached: list[Reached] = []
        self.hidden: list[Hidden] = []
        self.generators: list[str] = []
        self.large: list[Any] = []
        self.given_up: list[str] = []
        self._objects_left = MOST_OBJECTS
        self._seen: set[int] = set()
        self._class_tensors: dict[int, list[tuple[str, torch.Tensor]]] = {}
        registered = list(registered_modules(module, "self", ""))
        self._registered_modules = {id(child) for child, _, _ in registered}
        for child, path, prefix in registered:
            self.reached += registered_tensors(child, path, prefix)
        for child, path, _ in registered:
            self._visit_attributes(child, path, holder=None, depth=0, owner=type(child))

    def _reach(
        self,
        tensor: torch.Tensor,
        path: str,
        owner: type,
        attribute: str,
        holder: Holder | None,
        in_loss: bool,
    ) -> None:
        found = Reached(tensor, path, owner, attribute, holder=holder, in_loss=in_loss)
        self.reached.append(found)

    def _visit_attributes(
        self, module: nn.Module, path: str, holder: Holder | None, depth: int, owner: type
    ) -> None:
        cls = type(module)
        if id(cls) not in self._class_tensors:
            self._class_tensors[id(cls)] = _class_tensors(cls)
        for name, value in (*self._class_tensors[id(cls)], *dict_of(module).items()):
            if name not in _MODULE_INTERNALS and not _is_atom(value):
                self._visit(value, f"{path}.{name}", holder, depth, owner, name)

    def _visit(
        self, value: Any, path: str, holder: Holder | None, depth: int, owner: type, attribute: str
    ) -> None:
        if is_a(value, torch.Tensor):
            self._reach(
                value, path, owner, attribute, holder, issubclass(owner, nn.modules.loss._Loss)
            )
            return
        if is_a(value, GENERATOR):
            self.generators.append(path)
            return
        if issubclass(type(value), _NEVER_HOLD_TENSORS) or id(value) in self._seen:
            return
        if depth >= DEEPEST or self._objects_left <= 0:
            self._give_up(path, "too deep" if depth >= DEEPEST else "too many objects")
            return
        self._seen.add(id(value))
        self._objects_left -= 1
        if is_a(value, nn.Module):
            self._visit_hidden_module(value, path, holder, depth, owner, attribute)
            return
        holder = holder or Holder(type(value).__name__, path)
        for suffix, inner in self._contents(value, path):
            self._visit(inner, path + suffix, holder, depth + 1, owner, attribute)

    def _visit_hidden_module(
        self,
        module: nn.Module,
        path: str,
        holder: Holder | None,
        depth: int,
        owner: type,
        attribute: str,
    ) -> None:
        if id(module) in self._registered_modules:
            return
        for child, inner_path, prefix in registered_modules(module, path, ""):
            if id(child) in self._registered_modules:
                continue
            self._seen.add(id(child))
            self.hidden.append(Hidden(child, inner_path, owner, attribute))
            for found in registered_tensors(child, inner_path, prefix):
                self._reach(found.tensor, found.path, owner, attribute, holder, is_loss(child))
            self._visit_attributes(child, inner_path, holder, depth + 1, owner)

    def _contents(self, value: Any, path: str) -> Iterator[tuple[str, Any]]:
        entries = entries_of(value)
        if entries is not None:
            size = size_of(value) or 0
            if size > MOST_ENTRIES:
                self.large.append(value)
                self._give_up(path, f"{size:,} entries; looked at the first {MOST_ENTRIES:,}")
            yield from islice(entries, MOST_ENTRIES)
        elif is_a(value, partial):
            yield ".func", _FUNC(value)
            yield from ((f".args[{i}]", argument) for i, argument in enumerate(_ARGS(value)))
            yield from ((f".keywords[{k!r}]", argument) for k, argument in _KEYWORDS(value).items())
        elif is_a(value, MethodType):
            yield ".__self__", value.__self__
        elif is_a(value, FunctionType):
            yield from _closure(value)
        else:
            yield from ((f".{name}", attribute) for name, attribute in _attributes(value))

    def _give_up(self, path: str, why: str) -> None:
        if len(self.given_up) < 20:
            self.given_up.append(f"{path}: {why}")


def is_a(value: object, *kinds: type) -> bool:
    """`isinstance` by the real type: `isinstance` asks `value.__class__`, which may run code."""
    return issubclass(type(value), kinds)


def _is_atom(value: object) -> bool:
    """Whether it is one of the usual attributes that hold nothing. By identity: a hot path."""
    kind = type(value)
    if kind is tuple:  # as a convolution's stride
        return all(type(element) is int for element in value)  # type: ignore[attr-defined]
    return value is None or kind is bool or kind is int or kind is float or kind is str


def is_loss(module: nn.Module) -> bool:
    """Whether it is a loss function, by its kind or its name."""
    name = type(module).__name__.lower()
    return is_a(module, nn.modules.loss._Loss) or name.endswith(("loss", "criterion"))


def registered_modules(
    module: nn.Module, path: str, prefix: str
) -> Iterator[tuple[nn.Module, str, str]]:
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
    found: dict[int, Reached] = {}
    for child, path, prefix in registered_modules(module, "self", ""):
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


def _class_tensors(cls: type) -> list[tuple[str, torch.Tensor]]:
    own = [base for base in cls.__mro__ if not base.__module__.startswith("torch.")]
    members = [pair for base in own for pair in vars(base).items()]
    return [
        (name, value)
        for name, value in members
        if type(value) is not FunctionType and isinstance(value, torch.Tensor)
    ]


def _closure(function: FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f".{name}", cell.cell_contents
        except ValueError:  # a name bound later
            continue
    for default in function.__defaults__ or ():
        yield ".default", default


def _attributes(value: object) -> Iterator[tuple[str, Any]]:
    yield from list(dict_of(value).items())
    yield from slots_of(value)
