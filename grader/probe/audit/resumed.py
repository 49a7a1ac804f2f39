"""An audit's module on CUDA that resumes from a checkpoint which was loaded to the CPU.

`nn.Module` copies what it loads into the tensors that are there. A module that loads by itself may
keep what it is given, where it is. An optimizer that the module holds was built before the move.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.audit.calls import call
from grader.probe.audit.subject import AuditRun
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import Registered, registered_modules
from grader.probe.inspection.source import assignment_of, is_torch
from grader.probe.subject import Subject
from grader.schema import Evidence, Location, Optimizer, Phase, Run

LOADING = ("set_extra_state", "_load_from_state_dict", "load_state_dict")
HOOKS = ("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


def resumed(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Move a new instance to CUDA, load the state of another from the CPU, call it, and step.

    Only of a module that has a say in how it is loaded, and that works on CUDA if it is not.
    """
    subject = audit.subject
    is_refused = any(run.raised for run in evidence.runs if run.phase is Phase.CUDA)
    if is_refused or not audit.loads_itself:
        return evidence
    saved = subject.new().module
    for found in optimizers_of(saved):
        inspected(subject, saved, *found)  # one step gives it a state
    state = subject.run(lambda: copy.deepcopy(saved.state_dict()))
    fresh = subject.new().module
    _, raised = subject.attempt(lambda: _load(fresh, state), fresh)
    if raised:
        return evidence.with_runs(Run("cuda:0", raised, phase=Phase.RESUMED))
    run = call(subject, fresh, Phase.RESUMED, "cuda:0", subject.fed_to("cuda:0"))
    stepped = (inspected(subject, fresh, *found) for found in optimizers_of(fresh))
    steps = tuple(replace(step, is_resumed=True) for step in stepped if step.raised)
    return replace(evidence.with_runs(run), optimizers=(*evidence.optimizers, *steps))


def _load(module: nn.Module, state: Any) -> None:
    module.to("cuda:0")
    module.load_state_dict(state, strict=False)


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


OPTIMIZER = torch.optim.Optimizer


def optimizers(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Inspect each optimizer that the module holds, after a move to CUDA.

    Which of its tensors are not the module's, which of the module's it lacks, and whether it steps.
    """
    if not audit.holds_optimizers:
        return evidence
    module = audit.subject.new().module
    held = list(optimizers_of(module))
    module.to("cuda:0")
    facts = (inspected(audit.subject, module, *found) for found in held)
    return replace(evidence, optimizers=tuple(facts))


def optimizers_of(module: nn.Module) -> Iterator[tuple[Location, torch.optim.Optimizer]]:
    """The optimizers that registered modules hold as attributes, each with where it is bound."""
    for owner, path, _ in registered_modules(module, "self", ""):
        for name, value in dict_of(owner).items():
            if issubclass(type(value), OPTIMIZER):  # not `is_a`: a hot path
                yield assignment_of(type(owner), name).location(f"{path}.{name}"), value


def inspected(
    subject: Subject, module: nn.Module, at: Location, optimizer: torch.optim.Optimizer
) -> Optimizer:
    """What an optimizer holds of the module's, and what a step of it raises."""
    held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    named = subject.run(lambda: dict(module.named_parameters()))
    registered = {id(parameter): name for name, parameter in named.items()}
    forgotten = set(registered) - {id(parameter) for parameter in held}
    trainable = {id(parameter) for parameter in named.values() if parameter.requires_grad}
    for parameter in held:
        parameter.grad = torch.zeros_like(parameter)
    _, raised = subject.attempt(optimizer.step, module)
    return Optimizer(
        path=at.path,
        line=at.line,
        file=at.file,
        strangers=sum(id(parameter) not in registered for parameter in held),
        forgotten=tuple(sorted(registered[key] for key in forgotten & trainable)),
        raised=raised,
    )
