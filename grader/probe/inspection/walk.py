"""Walks everything that a module leads to: registered tensors, and those that it only holds.

Three files make the walk. `plain.py` reads an object without running code of its class;
`registered.py` yields what is registered through it (`registered_modules`, and for each of them
`registered_tensors`); `Walk` below does both and goes on to the rest, in this order:

1. Registered modules, depth first, and the Parameters and buffers in their tables.
2. The other attributes of each, and from there dicts, sequences, partials, bound methods, closures
   and attributes of any object, up to `DEEPEST` steps and `MOST_OBJECTS` objects.
3. Of a module met on the way that is not registered, its own registered tensors and attributes.

The first path to a tensor in this order is the one that reports show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.plain import dict_of, entries_of, size_of, slots_of
from grader.probe.inspection.registered import Reached, is_a, registered_modules, registered_tensors
from grader.schema import Holder

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
    torch.optim.Optimizer,  # probe/steps/optimizers.py inspects them
)  # fmt: skip
_ATOMS = frozenset(map(id, (type(None), bool, int, float, str)))
_FUNC, _ARGS, _KEYWORDS = partial.func.__get__, partial.args.__get__, partial.keywords.__get__


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
        registered: every registered module, with its path and the prefix of its names.
        reached: every tensor. hidden: modules that are not registered.
        generators: the paths of the `torch.Generator`s.
        mixed: containers that hold a module or a tensor, and what is neither, nor None.
        large: containers with too many entries to look at them all.
        given_up: what was not looked into, and why.
    """

    def __init__(self, module: nn.Module) -> None:
        self.reached: list[Reached] = []
        self.hidden: list[Hidden] = []
        self.generators: list[str] = []
        self.mixed: list[str] = []
        self.large: list[Any] = []
        self.given_up: list[str] = []
        self._objects_left = MOST_OBJECTS
        self._seen: set[int] = set()
        self._containers: set[str] = set()
        self._class_tensors: dict[int, list[tuple[str, torch.Tensor]]] = {}
        self.registered = list(registered_modules(module))
        self._registered_modules = {id(child) for child, _, _ in self.registered}
        for child, path, prefix in self.registered:
            self.reached += registered_tensors(child, path, prefix)
        for child, path, _ in self.registered:
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
        holder = self._holder_at(path, value, holder)
        if holder.path == path and _is_mixed(value):
            self.mixed.append(path)
        for suffix, inner in self._contents(value, path):
            if not _is_atom(inner):
                self._visit(inner, path + suffix, holder, depth + 1, owner, attribute)

    def _holder_at(self, path: str, value: Any, around: Holder | None) -> Holder:
        """What hides what `value` holds: the outermost container, or an object in containers."""
        is_container = entries_of(value) is not None
        if is_container:
            self._containers.add(path)
        if around and (is_container or around.path not in self._containers):
            return around
        return Holder(type(value).__name__, path)

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


def _is_atom(value: object) -> bool:
    """Whether it is one of the usual attributes that hold no tensor, or a container of only those.

    By identity, a hot path: a metaclass may have a hash.
    """
    kind = type(value)
    if kind is dict:
        contents: Collection[object] = value.values()  # type: ignore[attr-defined]
    elif kind is list or kind is tuple:
        contents = value  # type: ignore[assignment]
    else:
        return id(kind) in _ATOMS
    return len(contents) <= MOST_ENTRIES and _ATOMS.issuperset(map(id, map(type, contents)))


def _is_mixed(value: object) -> bool:
    """Whether a container holds a module or a tensor, and what is neither, nor None."""
    inner = [entry for _, entry in islice(entries_of(value) or (), MOST_ENTRIES)]
    held = [is_a(entry, nn.Module, torch.Tensor) for entry in inner if entry is not None]
    return any(held) and not all(held)


def is_loss(module: nn.Module) -> bool:
    """Whether it is a loss function, by its kind or its name."""
    name = type(module).__name__.lower()
    return is_a(module, nn.modules.loss._Loss) or name.endswith(("loss", "criterion"))


def _class_tensors(cls: type) -> list[tuple[str, torch.Tensor]]:
    own = [base for base in cls.__mro__ if not base.__module__.startswith("torch.")]
    members = [pair for base in own for pair in vars(base).items()]
    return [
        (name, value)
        for name, value in members
        if type(value) is not FunctionType and issubclass(type(value), torch.Tensor)
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
