"""The facts of a module as it is: its tensors, and attributes that matter when it moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn
from torch.nn.modules.module import register_module_buffer_registration_hook

from grader.probe.driven import is_driven
from grader.probe.inspection.identities import Identities
from grader.probe.inspection.likeness import constant_value, with_originals
from grader.probe.inspection.plain import dict_of, is_parameter, plain
from grader.probe.inspection.registered import Reached, Registered, table, tensors_once
from grader.probe.inspection.source import Position, assignment_of, is_torch
from grader.probe.inspection.values import is_sized, shape_of
from grader.probe.inspection.walk import GENERATOR, Walk
from grader.schema import Location, RememberedDevice, Site, Structure, TensorFact

# Methods of `nn.Module` that call `_apply`, and that a parent's move does not call.
OVERRIDABLE = ("to", "cuda", "cpu", "float", "double", "half")
_DEVICE = re.compile(r"(cpu|cuda(:\d+)?)$")
Filled = list[tuple[nn.Module, str]]
PositionOf = Callable[[torch.Tensor], Position]


@contextmanager
def collect_filled_buffers() -> Iterator[Filled]:
    """Collects the buffers that are registered with a tensor meanwhile."""
    filled: Filled = []

    def note(module: nn.Module, name: str, buffer: torch.Tensor | None) -> None:
        if buffer is not None:
            filled.append((module, name))

    handle = register_module_buffer_registration_hook(note)
    try:
        yield filled
    finally:
        handle.remove()


def structure_of(
    module: nn.Module,
    identities: Identities,
    position_of: PositionOf,
    filled: Filled,
    run: Callable[[Callable[[], Any]], Any],
    walk: Walk,
) -> Structure:
    """The facts of a module.

    Args:
        module: the module.
        identities: numbers its tensors.
        position_of: gives the learner's line that made a tensor.
        filled: the buffers that were registered with a tensor.
        run: runs the learner's code.
        walk: what a walk of the module has just found.
    """
    facts = _facts(module, walk.reached, identities, position_of)
    modules, driven = walk.registered, is_driven(module)
    return Structure(
        tensors=tuple(with_originals(facts, walk.reached)),
        state_keys=tuple(run(lambda: tuple(module.state_dict()))),
        emptied=tuple(_set_to_none(modules, filled)),
        devices=tuple(devices_of(modules)),
        generators=tuple(_generators(modules)),
        overrides=tuple(_overrides(modules, () if driven else OVERRIDABLE)),
        own_apply=tuple(_overrides(modules, ("_apply",))),
        unlisted=tuple(_unlisted(module, modules, run)),
        own_setattr=tuple(_overrides(modules, ("__setattr__",) if driven else ())),
        given_up=tuple(walk.given_up),
        mixed=tuple(walk.mixed),
    )


def tensors_of(
    module: nn.Module,
    identities: Identities,
    position_of: PositionOf,
    site_of: Callable[[torch.Tensor], Site | None] | None = None,
) -> tuple[TensorFact, ...]:
    """The facts of its tensors; with `site_of`, each with the expression that made it."""
    reached = Walk(module).reached
    facts = _facts(module, reached, identities, position_of)
    if site_of is None:
        return facts
    each = zip(facts, reached, strict=True)
    return tuple(replace(fact, site=site_of(found.tensor)) for fact, found in each)


def _facts(
    module: nn.Module,
    reached: list[Reached],
    identities: Identities,
    position_of: PositionOf,
) -> tuple[TensorFact, ...]:
    facts = (_fact(tensor, identities, position_of) for tensor in reached)
    return tuple(fact if fact.line else _with_line(fact, type(module)) for fact in facts)


def _with_line(fact: TensorFact, cls: type) -> TensorFact:
    """`fact` with the line that binds the first attribute of its path."""
    attribute = re.split(r"[.\[]", fact.path)[1] if "." in fact.path else ""
    assignment = assignment_of(cls, attribute)
    return replace(fact, line=assignment.line, file=assignment.file)


def _fact(
    reached: Reached,
    identities: Identities,
    position_of: PositionOf,
) -> TensorFact:
    tensor = plain(reached.tensor)
    is_lazy = not is_sized(tensor)
    assignment = assignment_of(reached.owner, reached.attribute)
    file, line = assignment.file, assignment.line
    if not line:
        file, line = position_of(reached.tensor)
    return TensorFact(
        path=reached.path,
        name=reached.name,
        role=reached.role,
        persistent=reached.persistent,
        is_parameter=is_parameter(reached.tensor),
        holder=reached.holder,
        shape=shape_of(tensor),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        identity=identities.of(reached.tensor),
        storage=0 if is_lazy else identities.of_storage(tensor),
        base=0 if tensor._base is None else identities.of(tensor._base),
        file=file,
        line=line,
        value=assignment.value,
        in_loss=reached.in_loss,
        uniform=None if is_lazy else constant_value(tensor),
    )


def _set_to_none(modules: list[Registered], filled: Filled) -> Iterator[Location]:
    paths = {id(module): path for module, path, _ in modules}
    for module, name in filled:
        if id(module) in paths and table(module, "_buffers").get(name, module) is None:
            assignment = assignment_of(type(module), name)
            if "register_buffer(" in assignment.value:  # else None may be meant
                yield assignment.location(f"{paths[id(module)]}.{name}")


def devices_of(modules: list[Registered]) -> Iterator[RememberedDevice]:
    """Attributes of the learner's modules that hold a `torch.device` or a string naming one."""
    for module, path, _ in modules:
        if is_torch(type(module)):  # as most
            continue
        for name, value in dict_of(module).items():
            kind = type(value)
            if (kind is str or kind is torch.device) and _DEVICE.match(str(value)):
                at = assignment_of(type(module), name)
                yield RememberedDevice(f"{path}.{name}", at.line, str(value), file=at.file)


def _generators(modules: list[Registered]) -> Iterator[Location]:
    for module, path, _ in modules:
        for name, value in dict_of(module).items():
            if issubclass(type(value), GENERATOR):  # not `is_a`: a hot path
                yield assignment_of(type(module), name).location(f"{path}.{name}")


def _unlisted(
    module: nn.Module, modules: list[Registered], run: Callable[[Callable[[], Any]], Any]
) -> Iterator[str]:
    """The Parameters that an overridden `parameters` does not list, in a model built on a base."""
    if not is_driven(module):
        return
    try:
        listed = set(run(lambda: [id(parameter) for parameter in module.of.parameters()]))
    except Exception:  # which `forward` raises as well, if it calls it
        listed = set()
    for entry in tensors_once(modules):
        if entry.role == "parameter" and id(entry.tensor) not in listed:
            yield entry.name


def _overrides(modules: list[Registered], names: tuple[str, ...]) -> Iterator[Location]:
    overrides: dict[int, list[tuple[str, CodeType]]] = {}  # by id: a metaclass may have a hash
    for module, path, _ in modules:
        cls = type(module.of if is_driven(module) else module)
        if id(cls) not in overrides:
            overrides[id(cls)] = list(_overrides_in(cls, names))
        for name, code in overrides[id(cls)]:
            yield Location(f"{path}.{name}", code.co_firstlineno, file=code.co_filename)


def _overrides_in(cls: type, names: tuple[str, ...]) -> Iterator[tuple[str, CodeType]]:
    for base in cls.__mro__:
        if is_torch(base):
            continue
        for name in names:
            method = vars(base).get(name)
            if isinstance(method, FunctionType):
                yield name, method.__code__
