"""An audit's module on CUDA that resumes from a checkpoint which was loaded to the CPU.

`nn.Module` copies what it loads into the tensors that are there. A module that loads by itself may
keep what it is given, where it is. An optimizer that the module holds was built before the move.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace
from torch import nn

from grader.probe.calls import FIRST_GPU, move
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import Registered
from grader.probe.inspection.source import is_torch
from grader.probe.scenes import Act, play
from grader.probe.session import Session
from grader.probe.steps.optimizers import inspected, optimizers_of
from grader.schema import Evidence, Phase, Raised

LOADING = ("set_extra_state", "_load_from_state_dict", "load_state_dict")
HOOKS = ("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


def resumed(session: Session, evidence: Evidence) -> Evidence:
    """Move a new instance to CUDA, load the state of another from the CPU, call it, and step.

    Only of a module that has a say in how it is loaded, and that works on CUDA if it is not.
    """
    called, structure = evidence.run_of(Phase.CUDA), evidence.structure
    if (called and called.raised) or not (structure and structure.loads_itself):
        return evidence
    saved = session.new().module
    for found in optimizers_of(saved):
        inspected(session, saved, *found)  # one step gives it a state
    state = session.run(lambda: copy.deepcopy(saved.state_dict()))
    fresh = session.new()
    module = fresh.module

    def place(session: Session, module: nn.Module, phase: Phase, device: str) -> Raised | None:
        def load() -> Any:
            return module.load_state_dict(state, strict=False)

        return move(session, module, phase, device) or session.attempt(load, module)[1]

    evidence = play(session, evidence, fresh, Act(Phase.RESUMED, FIRST_GPU, place))
    if not fresh.at:
        return evidence
    stepped = (inspected(session, module, *found) for found in optimizers_of(module))
    steps = tuple(replace(step, is_resumed=True) for step in stepped if step.raised)
    return replace(evidence, optimizers=(*evidence.optimizers, *steps))


def load_themselves(modules: Iterable[Registered]) -> bool:
    """Whether the class of one of these modules, or a hook on it, has a say in how it is loaded."""
    classes: dict[int, type] = {}  # by id, as a metaclass may have a hash
    for module, _, _ in modules:
        classes[id(type(module))] = type(module)
        if any(_hooks(module)):
            return True
    return any(_has_a_say(cls) for cls in classes.values())


def _has_a_say(cls: type) -> bool:
    own = (base for base in cls.__mro__ if not is_torch(base))
    return any(name in vars(base) for base in own for name in LOADING)


def _hooks(module: nn.Module) -> Iterator[Any]:
    """The hooks on loading that are none of PyTorch's own."""
    for name in HOOKS:
        for hook in (dict_of(module).get(name) or {}).values():
            function = getattr(hook, "hook", hook)
            if not str(getattr(function, "__module__", "")).startswith("torch."):
                yield function
