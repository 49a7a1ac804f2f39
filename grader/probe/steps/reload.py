"""Whether a checkpoint of the trained module brings back all that it computes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.calls import call, first_half, new_on_the_cpu
from grader.probe.inspection.equality import have_equal_state
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.plain import dict_of, plain
from grader.probe.inspection.registered import (
    entries,
    is_a,
    registered_modules,
    registered_tensors,
    step_of,
)
from grader.probe.inspection.source import assignment_of, change_of, is_torch
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Checkpoint, Location, Output, Phase, Raised

# Types of attributes that `==` compares without running the learner's code.
SIMPLE = (bool, int, float, str, type(None))
MODES = (Phase.CPU, Phase.TRAIN_MODE)
KEYS = ("missing", "unexpected")


def reload(session: Session, module: nn.Module) -> Checkpoint:
    """Load the trained module's `state_dict` into a fresh instance, and compare the two.

    1. Load with `strict=False`, and record missing and unexpected keys; if strict loading raises
       for them, also whose they are.
    2. If both hold the same, calls cannot tell them apart; if a generator that the module holds
       makes outputs random, calls tell nothing: done.
    3. Look which attributes differ, before any call can change them.
    4. If first calls agree in both modes: done.
    5. Compare second calls in eval mode, then in train mode. If the trained module does not repeat
       its own numbers, nothing can be said; if the fresh one gives others, state was lost.
    6. Unless another fresh instance agrees, which meets whole batches only. A module may take the
       size of its first batch, and training began with a whole one.
    """
    fresh = new_on_the_cpu(session)
    checkpoint = _with_misfits(session, module, fresh, load_checkpoint(session, module, fresh))
    if checkpoint.raised or have_equal_state(module, fresh) or _has_generator(module):
        return checkpoint
    unsaved = tuple(_unsaved(module, fresh))
    lost = _difference_after_reload(session, module, fresh)
    if lost is None:
        return checkpoint
    fresh = new_on_the_cpu(session)
    _load(session, module, fresh)
    if _difference_after_reload(session, module, fresh, is_whole=True) is None:
        return checkpoint
    return replace(checkpoint, before=lost[0], after=lost[1], unsaved=unsaved)


def load_checkpoint(session: Session, module: nn.Module, fresh: nn.Module) -> Checkpoint:
    """Load the trained module's `state_dict` into `fresh`; what that raised, or left over."""
    session.run(lambda: module.zero_grad(set_to_none=True))
    result, raised = _load(session, module, fresh)
    if raised:
        return Checkpoint(raised)
    # Overrides such as gpytorch's priors' return nothing.
    missing, unexpected = (tuple(getattr(result, f"{kind}_keys", ())) for kind in KEYS)
    return Checkpoint(None, missing, unexpected)


def _with_misfits(
    session: Session, module: nn.Module, fresh: nn.Module, checkpoint: Checkpoint
) -> Checkpoint:
    """`checkpoint` with the tensors that only one of the two has, if strict loading raises."""
    missing, unexpected = set(checkpoint.missing), set(checkpoint.unexpected)
    if not missing | unexpected or not _load(session, module, fresh, is_strict=True)[1]:
        return checkpoint
    late, gone = _only_in(module, fresh, unexpected), _only_in(fresh, module, missing)
    return replace(checkpoint, late=tuple(late), gone=tuple(gone))


def _only_in(module: nn.Module, other: nn.Module, keys: set[str]) -> Iterator[Location]:
    """Where `module` binds the tensors of these keys, which `other` has not registered.

    A new layer has several, and one attribute of a module that both have leads to them.
    """
    names = sorted(keys & _registered_names(module) - _registered_names(other))
    shared = {prefix for _, _, prefix in registered_modules(other)}
    for owner, path, prefix in registered_modules(module):
        own = (name.removeprefix(prefix) for name in names if name.startswith(prefix))
        attributes = dict.fromkeys(name.split(".")[0] for name in own)
        for attribute in attributes if prefix in shared else ():
            if f"{prefix}{attribute}." not in shared:
                yield change_of(type(owner), attribute).location(path + step_of(owner)(attribute))


def _registered_names(module: nn.Module) -> set[str]:
    modules = registered_modules(module)
    return {entry.name for found in modules for entry in registered_tensors(*found)}


def _load(
    session: Session,
    module: nn.Module,
    fresh: nn.Module,
    is_strict: bool = False,
) -> tuple[Any, Raised | None]:
    """What loading a copy of `module`'s state returns, and what it raises."""

    def load() -> Any:
        state = session.run(lambda: copy.deepcopy(module.state_dict()))
        return session.run(lambda: fresh.load_state_dict(state, strict=is_strict))

    return session.attempt_steps(load, fresh)


def _difference_after_reload(
    session: Session, module: nn.Module, fresh: nn.Module, is_whole: bool = False
) -> tuple[tuple[Output, ...], tuple[Output, ...]] | None:
    """The outputs of both in the first mode in which they differ; None if nothing can be said."""
    if not _outputs_differ(session, module, fresh, is_whole):
        return None
    for phase in MODES:
        before = _second_call(session, module, phase, is_whole)
        if _numbers(before) != _numbers(_second_call(session, module, phase, is_whole)):
            return None  # it never gives the same twice
        after = _second_call(session, fresh, phase, is_whole)
        if _numbers(before) != _numbers(after):
            return before, after
    return None


def _outputs_differ(session: Session, module: nn.Module, fresh: nn.Module, is_whole: bool) -> bool:
    """Whether the trained module and its reloaded twin give different outputs, in either mode."""
    return any(
        _numbers(_outputs(session, module, phase, is_whole))
        != _numbers(_outputs(session, fresh, phase, is_whole))
        for phase in MODES
    )


def _second_call(
    session: Session, module: nn.Module, phase: Phase, is_whole: bool
) -> tuple[Output, ...]:
    """Outputs of the second of two calls.

    The first lets caches refresh, so that state which every call renews is not reported as lost.
    """
    _outputs(session, module, phase, is_whole)
    return _outputs(session, module, phase, is_whole)


def _outputs(
    session: Session, module: nn.Module, phase: Phase, is_whole: bool
) -> tuple[Output, ...]:
    """Outputs for inputs other than those of training.

    First half a batch, unless `is_whole`; else, or if the module refuses that, a whole one.
    """
    session.run(lambda: module.train(True))
    for whole in (True,) if is_whole else (False, True):
        batch = _new_batch(session, whole)
        run = call(session, module, phase, "cpu", batch, is_traced=False)
        if not run.raised:  # else it wants the whole batch
            return run.outputs
    return ()


def _new_batch(session: Session, whole: bool) -> Inputs:
    """Half of the batch, or its first half twice: other inputs of which the module takes any."""
    inputs = session.feed().to("cpu")
    return (None if whole else first_half(inputs)) or inputs.each(_first_half_twice)


def _first_half_twice(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.dim():
        return tensor
    return tensor[torch.arange(len(tensor)) // 2]


def _numbers(outputs: tuple[Output, ...]) -> list[Any]:
    return [output.values for output in outputs]


def _has_generator(module: nn.Module) -> bool:
    """Whether it holds a generator, whose state no checkpoint is asked to keep."""
    return bool(Walk(module).generators)


def _unsaved(module: nn.Module, fresh: nn.Module) -> Iterator[Location]:
    """In what a trained module differs from a fresh one with its checkpoint loaded.

    First attributes, then what containers and other objects hold.
    """
    twins = {path: owner for owner, path, _ in registered_modules(fresh)}
    for owner, path, _ in registered_modules(module):
        if path in twins and not is_torch(type(owner)):
            loaded = _attributes(twins[path])
            for name, value in _attributes(owner).items():
                if name != "training" and name[:1] != "_" and _differ(value, loaded.get(name)):
                    yield assignment_of(type(owner), name).location(f"{path}.{name}")
    held = {reached.path: reached.tensor for reached in Walk(fresh).reached if reached.holder}
    for reached in Walk(module).reached:
        if reached.holder and _differ(reached.tensor, held.get(reached.path, reached.tensor)):
            yield assignment_of(reached.owner, reached.attribute).location(reached.holder.path)


def _attributes(module: nn.Module) -> dict[str, Any]:
    return {**dict_of(module), **dict(entries(module, "_buffers"))}


def _differ(one: Any, other: Any) -> bool:
    if is_a(one, torch.Tensor) and is_a(other, torch.Tensor):
        one, other = plain(one), plain(other)
        return bool(one.shape != other.shape) or not torch.equal(one, other)
    if type(one) in SIMPLE and type(other) in SIMPLE:
        return bool(one != other)
    return is_a(one, torch.Tensor) != is_a(other, torch.Tensor)
