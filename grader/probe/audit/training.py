"""An audit's training: two steps, what they reached, and whether a checkpoint keeps it all."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.evidence import (
    Checkpoint,
    Evidence,
    Location,
    Optimizer,
    Output,
    Phase,
    Raised,
    Training,
)
from grader.inspection.inputs import Inputs
from grader.inspection.names import named_tensors
from grader.inspection.plain import dict_of, entries_of, plain
from grader.inspection.source import Assignment, assignment_of, is_torch, rebinding_of
from grader.inspection.values import sorted_state
from grader.inspection.walk import (
    Reached,
    Walk,
    entries,
    is_a,
    registered_modules,
    registered_once,
)
from grader.probe.audit.alike import hold_the_same
from grader.probe.audit.device_moves import call, first_half
from grader.probe.audit.run import AuditRun
from grader.probe.subject import Subject
from grader.probe.training import step, trained

# Types of attributes that `==` compares without running the learner's code.
SIMPLE = (bool, int, float, str, type(None))
MODES = (Phase.CPU, Phase.TRAIN_MODE)
KEYS = ("missing", "unexpected")


def train_and_reload(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Train on the CPU, then load the checkpoint into a fresh instance and compare the two.

    Without a trace, unless a line of the training is to be named.
    """
    subject = audit.subject
    with subject.untraced():
        module, training = _trained(subject)
    if training.raised or training.unregistered:
        module, training = _trained(subject)
    evidence = replace(evidence, training=training)
    if training.raised:
        return evidence
    with subject.untraced():
        return replace(evidence, checkpoint=_reload(subject, module))


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


def _trained(subject: Subject) -> tuple[nn.Module, Training]:
    """A new instance after two steps, and what they did."""
    module = subject.new().module
    return module, _train(subject, module)


def _train(subject: Subject, module: nn.Module) -> Training:
    names = set(subject.run(lambda: dict(module.named_parameters())))
    before = {name: tensor.detach().clone() for name, tensor in sorted_state(module).items()}
    unregistered: tuple[Location, ...] = ()
    replaced: list[dict[str, Location]] = []
    subject.run(lambda: module.train())
    parameters = _trainable(module)
    for i in range(2):
        inputs = subject.feed().to("cpu")
        loss, raised = subject.attempt_steps(partial(step, subject, module, inputs), module)
        if raised:
            return Training(raised)
        if i == 0 and loss is not None:
            unregistered = tuple(_unregistered(subject, module, loss, inputs))
        parameters, earlier = _trainable(module), parameters
        replaced.append(dict(_replaced(module, parameters, earlier)))
    late_names = [n for n in subject.run(lambda: dict(module.named_parameters())) if n not in names]
    late_parameters = tuple(_late_parameters(module, late_names))
    always = tuple(replaced[0][name] for name in replaced[0] if name in replaced[1])
    return Training(None, tuple(trained(module, before)), unregistered, late_parameters, always)


def _trainable(module: nn.Module) -> dict[str, Reached]:
    """The Parameters that are trained, by name."""
    registered = (e for e in registered_once(module) if e.role == "parameter")
    return {entry.name: entry for entry in registered if entry.tensor.requires_grad}


def _replaced(
    module: nn.Module, now: dict[str, Reached], before: dict[str, Reached]
) -> Iterator[tuple[str, Location]]:
    """The trained Parameters that are another object than before, by name."""
    for name, entry in now.items():
        if name in before and before[name].tensor is not entry.tensor:
            yield name, _replacing(module, entry).location(entry.path)


def _replacing(module: nn.Module, entry: Reached) -> Assignment:
    """The line that replaces a Parameter: in its own class, or in one that holds its module."""
    classes = (type(owner) for owner, _, _ in registered_modules(module, "self", ""))
    found = (rebinding_of(cls, entry.attribute) for cls in (entry.owner, *classes))
    return next((at for at in found if at.line), assignment_of(entry.owner, entry.attribute))


def _unregistered(
    subject: Subject, module: nn.Module, loss: torch.Tensor, inputs: Inputs
) -> Iterator[Location]:
    """Leaves of the autograd graph that are not in `parameters()`: no optimizer gets them."""
    registered = {id(parameter) for parameter in subject.run(lambda: list(module.parameters()))}
    others = [leaf for leaf in _leaves_of_graph(loss) if id(leaf) not in registered]
    if not others:
        return
    names = named_tensors(module, inputs, subject.run)
    for leaf in others:
        if id(leaf) in names.inputs:
            continue
        path = names.attributes.get(id(leaf)) or names.globals.get(id(leaf)) or ""
        if path or isinstance(leaf, nn.Parameter):  # else a gradient that forward itself asks for
            file, line = subject.trace.position_of(leaf)
            yield Location(path, line, file=file)


def _leaves_of_graph(loss: torch.Tensor) -> Iterator[torch.Tensor]:
    visited, stack = set(), [loss.grad_fn]
    while stack:
        node: Any = stack.pop()
        if node is None or node in visited:
            continue
        visited.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        stack += [parent for parent, _ in node.next_functions]


def _late_parameters(module: nn.Module, names: list[str]) -> Iterator[Location]:
    for reached in Walk(module).reached if names else ():
        if reached.name in names:
            # The learner wrote the first attribute of the path; the rest is the new layer's.
            attribute = reached.name.split(".")[0]
            yield assignment_of(type(module), attribute).location(f"self.{attribute}")


def _reload(subject: Subject, module: nn.Module) -> Checkpoint:
    """Load the trained module's `state_dict` into a fresh instance, and compare the two.

    1. Load with `strict=False`, and record missing and unexpected keys.
    2. If both hold the same, calls cannot tell them apart; if a generator of its own makes outputs
       random, calls tell nothing: done.
    3. Look which attributes differ, before any call can change them.
    4. If first calls agree in both modes: done.
    5. Compare second calls in eval mode, then in train mode. If the trained module does not repeat
       its own numbers, nothing can be said; if the fresh one gives others, state was lost.
    6. Unless another fresh instance agrees, which meets whole batches only. A module may take the
       size of its first batch, and training began with a whole one.
    """
    subject.run(lambda: module.zero_grad(set_to_none=True))
    fresh = subject.new().module
    result, raised = _load(subject, module, fresh)
    if raised:
        return Checkpoint(raised)
    # Overrides such as gpytorch's priors' return nothing.
    missing, unexpected = (tuple(getattr(result, f"{kind}_keys", ())) for kind in KEYS)
    loaded = Checkpoint(None, missing, unexpected)
    if hold_the_same(module, fresh) or _has_generator(module):
        return loaded
    unsaved = tuple(_unsaved(module, fresh))
    lost = _lost(subject, module, fresh)
    if lost is None:
        return loaded
    fresh = subject.new().module
    _load(subject, module, fresh)
    if _lost(subject, module, fresh, is_whole=True) is None:
        return loaded
    return replace(loaded, before=lost[0], after=lost[1], unsaved=unsaved)


def _load(subject: Subject, module: nn.Module, fresh: nn.Module) -> tuple[Any, Raised | None]:
    """What loading a copy of `module`'s state returns, and what it raises."""

    def load() -> Any:
        state = _copied(subject.run(lambda: module.state_dict()), subject)
        return subject.run(lambda: fresh.load_state_dict(state, strict=False))

    return subject.attempt_steps(load, fresh)


def _lost(
    subject: Subject, module: nn.Module, fresh: nn.Module, is_whole: bool = False
) -> tuple[tuple[Output, ...], tuple[Output, ...]] | None:
    """The outputs of both in the first mode in which they differ; None if nothing can be said."""
    if not _outputs_differ(subject, module, fresh, is_whole):
        return None
    for phase in MODES:
        before = _second_call(subject, module, phase, is_whole)
        if _numbers(before) != _numbers(_second_call(subject, module, phase, is_whole)):
            return None  # it never gives the same twice
        after = _second_call(subject, fresh, phase, is_whole)
        if _numbers(before) != _numbers(after):
            return before, after
    return None


def _copied(state: Any, subject: Subject) -> Any:
    """A deep copy of a `state_dict`; plain tensors by `clone`, as `deepcopy` takes far longer."""
    values = [value for _, value in entries_of(state) or () if type(value) is torch.Tensor]
    memo = {id(value): value.detach().clone() for value in values if value.is_leaf}
    return subject.run(lambda: copy.deepcopy(state, memo))


def _outputs_differ(subject: Subject, module: nn.Module, fresh: nn.Module, is_whole: bool) -> bool:
    """Whether the trained module and its reloaded twin give different outputs, in either mode."""
    return any(
        _numbers(_outputs(subject, module, phase, is_whole))
        != _numbers(_outputs(subject, fresh, phase, is_whole))
        for phase in MODES
    )


def _second_call(
    subject: Subject, module: nn.Module, phase: Phase, is_whole: bool
) -> tuple[Output, ...]:
    """Outputs of the second of two calls.

    The first lets caches refresh, so that state which every call renews is not reported as lost.
    """
    _outputs(subject, module, phase, is_whole)
    return _outputs(subject, module, phase, is_whole)


def _outputs(
    subject: Subject, module: nn.Module, phase: Phase, is_whole: bool
) -> tuple[Output, ...]:
    """Outputs for inputs other than those of training.

    First half a batch, unless `is_whole`; else, or if the module refuses that, a whole one.
    """
    subject.run(lambda: module.train())
    for whole in (True,) if is_whole else (False, True):
        batch = _new_batch(subject, whole)
        run = call(subject, module, phase, "cpu", batch, is_traced=False)
        if not run.raised:  # else it wants the whole batch
            return run.outputs
    return ()


def _new_batch(subject: Subject, whole: bool) -> Inputs:
    """Half of the batch, or its first half twice: other inputs of which the module takes any."""
    inputs = subject.feed().to("cpu")
    return (None if whole else first_half(inputs)) or inputs.each(_first_half_twice)


def _first_half_twice(tensor: torch.Tensor) -> torch.Tensor:
    if not tensor.dim():
        return tensor
    return tensor[torch.arange(len(tensor)) // 2]


def _numbers(outputs: tuple[Output, ...]) -> list[Any]:
    return [output.values for output in outputs]


def _has_generator(module: nn.Module) -> bool:
    """Whether it draws from random numbers of its own, which no checkpoint is asked to hold."""
    return bool(Walk(module).generators)


def _unsaved(module: nn.Module, fresh: nn.Module) -> Iterator[Location]:
    """Attributes in which a trained module differs from a fresh one with its checkpoint loaded."""
    twins = {
        path: trained_owner for trained_owner, path, _ in registered_modules(fresh, "self", "")
    }
    for trained_owner, path, _ in registered_modules(module, "self", ""):
        twin = twins.get(path)
        if twin is None or is_torch(type(trained_owner)):
            continue
        attributes, loaded_attributes = _attributes(trained_owner), _attributes(twin)
        for name, value in attributes.items():
            if name != "training" and not name.startswith("_"):
                loaded_value = loaded_attributes.get(name)
                if _differ(value, loaded_value):
                    yield assignment_of(type(trained_owner), name).location(f"{path}.{name}")


def _attributes(module: nn.Module) -> dict[str, Any]:
    return {**dict_of(module), **dict(entries(module, "_buffers"))}


def _differ(one: Any, other: Any) -> bool:
    if is_a(one, torch.Tensor) and is_a(other, torch.Tensor):
        one, other = plain(one), plain(other)
        return bool(one.shape != other.shape) or not torch.equal(one, other)
    if type(one) in SIMPLE and type(other) in SIMPLE:
        return bool(one != other)
    return is_a(one, torch.Tensor) != is_a(other, torch.Tensor)


def optimizers_of(module: nn.Module) -> Iterator[tuple[Location, torch.optim.Optimizer]]:
    """The optimizers that registered modules hold as attributes, each with where it is bound."""
    for owner, path, _ in registered_modules(module, "self", ""):
        for name, value in dict_of(owner).items():
            if is_a(value, torch.optim.Optimizer):
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
