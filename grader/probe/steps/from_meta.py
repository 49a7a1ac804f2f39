"""An audit's module, built on the meta device and loaded, as large models are built today.

Tools that load large models build them without memory: `with torch.device("meta")`, or with
`device="meta"`. Then `Module.to_empty` gives them memory without values, `reset_parameters` of each
child gives what it can, and `load_state_dict` brings the rest. Nothing brings the values that
`__init__` computed for a non-persistent buffer or a plain tensor.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.audited import DEVICE, parameters_of
from grader.probe.calls import call
from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import Reached, registered_modules, registered_once
from grader.probe.inspection.source import is_torch
from grader.probe.inspection.uninitialised import is_unwritten, recognisable
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session, Spare
from grader.schema import Evidence, Materialised, Phase

META = "meta"
# Methods that libraries call once a module has memory: PyTorch's FSDP the first, torchtitan and
# transformers the next two, timm and torchtune the others.
RESETS = (
    "reset_parameters",
    "init_weights",
    "initialize_weights",
    "init_non_persistent_buffers",
    "reset_buffers",
    "rope_init",
)
TIES = ("tie_weights",)  # called once a checkpoint is loaded, as transformers does
LOADERS = ("from_pretrained",)  # a class with one of these is loaded from checkpoints by others


def from_meta(session: Session, evidence: Evidence) -> Evidence:
    """Build a module on the meta device, load the state of another, and call both on the CPU.

    Only of a module that is meant for it, and that has ties or holds what a checkpoint does not.
    """
    if session.subject.is_copied or session.needs_gradients:
        return evidence
    has_lost = any(is_lost(fact.role, fact.persistent) and fact.used for fact in evidence.tensors)
    if not (has_lost or _has_ties(evidence)):
        return evidence
    module = session.take_or_make(Spare.MOVED).module
    if not is_built_on_meta(session, module):
        return evidence
    return replace(evidence, materialised=_materialised(session, session.new().module))


def _materialised(session: Session, saved: nn.Module) -> Materialised:
    with recognisable():
        own, _ = session.build(make=partial(_by_its_own_loader, saved))
    if own and not any(_unwritten(own.module, saved)):
        return Materialised(untied=tuple(_untied(own.module, saved)))
    instance, raised = session.build(make=partial(_on_meta, session.subject.make))
    if instance is None:
        return Materialised(raised)
    module = instance.module
    _, raised = session.attempt_steps(partial(_load, session, module, saved), module)
    if raised:
        return Materialised(raised)
    unwritten, untied = tuple(_unwritten(module, saved)), tuple(_untied(module, saved))
    if not unwritten:
        return Materialised(untied=untied)
    run, expected = (
        call(session, held, Phase.FROM_META, "cpu", session.fed_to("cpu"))
        for held in (module, saved)
    )
    return Materialised(None, run, expected, unwritten, untied)


def _on_meta(make: Callable[..., Any]) -> Any:
    given = {DEVICE: META} if DEVICE in parameters_of(make) else {}
    with torch.device(META):
        return make(**given)


def _by_its_own_loader(saved: nn.Module) -> Any:
    """What the class's own loader gives that takes a state; None if it has none."""
    for name in LOADERS:
        load: Any = getattr(type(saved), name, None)
        first = next(iter(inspect.signature(load).parameters), "") if load else ""
        if first.startswith("state"):
            return load(copy.deepcopy(saved.state_dict()))
    return None


def _load(session: Session, module: nn.Module, saved: nn.Module) -> None:
    """Give it memory, reset it, and load the state of `saved`."""
    with recognisable():
        session.run(lambda: module.to_empty(device="cpu"))
    _call_each(session, module, RESETS)
    state = session.run(lambda: copy.deepcopy(saved.state_dict()))
    session.run(lambda: module.load_state_dict(state, strict=False))
    _call_each(session, module, TIES)


def _call_each(session: Session, module: nn.Module, names: tuple[str, ...]) -> None:
    """Call those methods of every child that has them, where they need no arguments."""
    for child, _, _ in list(registered_modules(module)):
        for name in names:
            method = getattr(child, name, None)
            if callable(method) and not _needs_arguments(method):
                session.run(method)


def _has_ties(evidence: Evidence) -> bool:
    parameters = [fact.identity for fact in evidence.tensors if fact.role == "parameter"]
    return len(set(parameters)) < len(parameters)


def _untied(module: nn.Module, saved: nn.Module) -> Iterator[tuple[str, str]]:
    """Pairs of paths that lead to one Parameter in `saved`, and to two here."""
    here = {f.path: f.tensor for f in Walk(module).reached if f.role == "parameter"}
    first: dict[int, str] = {}
    for found in Walk(saved).reached:
        if found.role == "parameter":
            other = first.setdefault(id(found.tensor), found.path)
            if here.get(other) is not here.get(found.path):
                yield other, found.path


def _unwritten(module: nn.Module, saved: nn.Module) -> Iterator[str]:
    """Paths of what no checkpoint brings, where it has no values, or others than in `saved`."""
    values = {found.path: found.tensor for found in Walk(saved).reached}
    for found in Walk(module).reached:
        if not is_lost(found.role, found.persistent) or found.path not in values:
            continue
        if is_unwritten(found.tensor) or _is_garbage(found, values[found.path]):
            yield found.path


def _is_garbage(found: Reached, saved: torch.Tensor) -> bool:
    """Whether a tensor of booleans, of which any is a value, is not what was saved."""
    tensor, saved = plain(found.tensor), plain(saved)
    return tensor.dtype is torch.bool and bool(tensor.all()) and not torch.equal(tensor, saved)


def is_lost(role: str, persistent: bool) -> bool:
    return role == "plain" or (role == "buffer" and not persistent)


def is_built_on_meta(session: Session, module: nn.Module) -> bool:
    """Whether a module is to be built without memory: it takes a device, is reset, or is loaded.

    One that registers nothing has nothing to be loaded, such as most losses.
    """
    if not registered_once(module):
        return False
    if DEVICE in parameters_of(session.subject.make):
        return True
    classes = {type(owner) for owner, _, _ in registered_modules(module)}
    own = {base for cls in classes for base in cls.__mro__ if not is_torch(base)}
    return any(_is_made_for_it(cls) for cls in own)


def _is_made_for_it(cls: type) -> bool:
    members = vars(cls)
    constructor = members.get("__init__")
    takes_device = isinstance(constructor, FunctionType) and DEVICE in parameters_of(constructor)
    return takes_device or not members.keys().isdisjoint((*RESETS, *LOADERS))


def _needs_arguments(method: Callable[..., Any]) -> bool:
    try:
        inspect.signature(method).bind()
    except (TypeError, ValueError):
        return True
    return False
