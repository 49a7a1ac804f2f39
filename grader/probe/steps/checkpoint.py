"""A checkpoint loaded into a fresh instance, and into a part of a larger module."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.plain import dict_of, size_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.source import is_torch
from grader.probe.session import Instance, Session
from grader.probe.steps.filled_calls import call_on, filled_instance, outputs_on_cpu
from grader.schema import Checkpoint, Evidence

PART = "part"
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
    saved, fresh = _to_be_saved(session), session.new()
    alone = _reloaded(session, saved, fresh, lambda module: module)
    if alone.raised or alone.missing or alone.unexpected:
        return replace(evidence, checkpoint=alone)
    alone = replace(alone, again=_again(session, fresh))
    if not _has_own_saving(fresh.module):
        return replace(evidence, checkpoint=alone)
    part = _reloaded(session, _to_be_saved(session), session.new(), _as_part)
    return replace(evidence, checkpoint=replace(alone, as_part=part))


def _to_be_saved(session: Session) -> Instance:
    """An instance with other arguments, where an exercise wants a checkpoint of that to fit."""
    if not session.wants.loads_other:
        return filled_instance(session)
    others = session.wants.other_arguments or {}
    sizes = {size for each in session.wants.inputs for size in each.shape}
    make = session.subject.made_with({n: others[n] for n in others if n not in sizes})
    return filled_instance(session, make, is_usual=False)


def _again(session: Session, used: Instance) -> Checkpoint:
    """Another checkpoint, loaded on CUDA into an instance that was called there before.

    What a call computes from its state and keeps, or what a move parted from it, is not reached.
    """
    saved = filled_instance(session, others=1)
    state = session.run(lambda: copy.deepcopy(dict(saved.module.state_dict())))
    called = call_on(session, used, "cuda")
    _, raised = session.attempt(lambda: used.module.load_state_dict(state), used.module)
    if called.raised or raised:
        return Checkpoint(called.raised or raised)
    before, after = outputs_on_cpu(session, saved), call_on(session, used, "cuda")
    return Checkpoint(after.raised, before=before, after=after.outputs)


def _has_own_saving(module: nn.Module) -> bool:
    """Whether a method or hook that is not PyTorch's saves or loads it, or a child of it."""
    for child, _, _ in registered_modules(module, "self", ""):
        own = dict_of(child)
        written = (vars(cls) for cls in type(child).__mro__ if not is_torch(cls))
        if any(name in names for names in (own, *written) for name in SAVING):
            return True
        if any(size_of(own.get(name)) for name in SAVING_HOOKS):
            return True
    return False


def _as_part(module: nn.Module) -> nn.Module:
    own = vars(type(module)).keys() & {"state_dict", "load_state_dict"}  # the larger one has others
    return module if own else nn.ModuleDict({PART: module})


def _reloaded(
    session: Session, saved: Instance, fresh: Instance, whole: Callable[[nn.Module], nn.Module]
) -> Checkpoint:
    result: list[Any] = []

    def load() -> None:
        saving, loading = whole(saved.module), whole(fresh.module)
        state = session.run(lambda: copy.deepcopy(dict(saving.state_dict())))
        result.append(session.run(lambda: loading.load_state_dict(state, strict=False)))

    _, raised = session.attempt_steps(load, fresh.module)
    if raised or not result:
        return Checkpoint(raised)
    before, after = outputs_on_cpu(session, saved), outputs_on_cpu(session, fresh)
    # An override may return nothing; then what the outputs are says whether it loaded.
    missing, unexpected = result[0] if isinstance(result[0], tuple) else ((), ())
    return Checkpoint(None, tuple(missing), tuple(unexpected), before, after)
