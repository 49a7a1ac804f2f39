"""A checkpoint loaded into a fresh instance, and into a part of a larger module."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from torch import nn

from grader.probe.calls import Parent
from grader.probe.inspection.plain import dict_of, size_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.source import is_torch
from grader.probe.session import Session
from grader.probe.steps.filled_calls import call_moved, filled_module
from grader.probe.steps.reload import load_checkpoint
from grader.schema import Checkpoint, Evidence

SAVING = ("state_dict", "load_state_dict", "_save_to_state_dict", "_load_from_state_dict")
SAVING_HOOKS = (
    "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip


def checkpoint(session: Session, evidence: Evidence) -> Evidence:
    """Load the `state_dict` into a fresh instance, and call both on the CPU.

    If the learner's code saves or loads by itself, do the same with each as a child of a larger
    module: there its methods get a `prefix`, which they may forget.
    """
    saved, fresh = _to_be_saved(session), session.new().module
    alone = _reloaded(session, saved, fresh, lambda module: module)
    if alone.raised or alone.missing or alone.unexpected:
        return replace(evidence, checkpoint=alone)
    alone = replace(alone, again=_again(session, fresh))
    if not _has_own_saving(fresh):
        return replace(evidence, checkpoint=alone)
    part = _reloaded(session, _to_be_saved(session), session.new().module, Parent)
    return replace(evidence, checkpoint=replace(alone, as_part=part))


def _to_be_saved(session: Session) -> nn.Module:
    """A module with other arguments, where an exercise wants a checkpoint of that to fit."""
    if not session.wants.loads_other:
        return filled_module(session)
    others = session.wants.other_arguments or {}
    sizes = {size for each in session.wants.inputs for size in each.shape}
    make = session.subject.made_with({n: others[n] for n in others if n not in sizes})
    return filled_module(session, make, is_usual=False)


def _again(session: Session, used: nn.Module) -> Checkpoint:
    """Another checkpoint, loaded on CUDA into an instance that was called there before.

    What a call computes from its state and keeps, or what a move parted from it, is not reached.
    """
    saved = filled_module(session, others=1)
    called = call_moved(session, used, "cuda")
    if raised := called.raised or load_checkpoint(session, saved, used).raised:
        return Checkpoint(raised)
    before = call_moved(session, saved, "cpu").outputs
    after = call_moved(session, used, "cuda")
    return Checkpoint(after.raised, before=before, after=after.outputs)


def _has_own_saving(module: nn.Module) -> bool:
    """Whether a method or hook that is not PyTorch's saves or loads it, or a child of it."""
    for child, _, _ in registered_modules(module):
        own = dict_of(child)
        written = (vars(cls) for cls in type(child).__mro__ if not is_torch(cls))
        if any(name in names for names in (own, *written) for name in SAVING):
            return True
        if any(size_of(own.get(name)) for name in SAVING_HOOKS):
            return True
    return False


def _reloaded(
    session: Session, saved: nn.Module, fresh: nn.Module, whole: Callable[[nn.Module], nn.Module]
) -> Checkpoint:
    loaded = load_checkpoint(session, whole(saved), whole(fresh))
    if loaded.raised:
        return loaded
    before, after = (call_moved(session, each, "cpu").outputs for each in (saved, fresh))
    return replace(loaded, before=before, after=after)
