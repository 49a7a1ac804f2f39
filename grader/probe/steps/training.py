"""An audit's training: one or two steps on the CPU, and what they reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.calls import call, new_on_the_cpu
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.names import named_tensors
from grader.probe.inspection.registered import (
    Reached,
    registered_modules,
    registered_once,
)
from grader.probe.inspection.source import (
    AttributeAssignment,
    assignment_of,
    rebinding_of,
)
from grader.probe.inspection.values import sorted_and_sized
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.probe.steps.reload import reload
from grader.probe.training import step, trained
from grader.schema import Evidence, Location, Phase, Training

STEPS = 2  # what the first one changes may show in the second


def train_and_reload(session: Session, evidence: Evidence) -> Evidence:
    """Train on the CPU, then load the checkpoint into a fresh instance and compare the two."""
    module = new_on_the_cpu(session)
    training = _train(session, module, _names_of_shared_memory(evidence))
    evidence = replace(evidence, cpu_training=training)
    if training.raised:
        return evidence
    if evidence.baseline.registers_late:  # in eval mode, and training made no such call
        call(session, module, Phase.CPU, "cpu", session.fed_to("cpu"), is_traced=False)
    return replace(evidence, reloaded=reload(session, module))


def _names_of_shared_memory(evidence: Evidence) -> frozenset[str]:
    """The registered tensors whose memory another one has as well."""
    facts = [fact for fact in evidence.tensors if fact.storage]
    owners = Counter(fact.storage for fact in facts)
    return frozenset(fact.name for fact in facts if owners[fact.storage] > 1)


def _train(session: Session, module: nn.Module, watched: frozenset[str]) -> Training:
    """Train the module on the CPU, and tell of the `watched` tensors whether that changed them."""
    at_first = registered_once(module)
    before = {
        entry.name: entry.tensor.detach().clone()
        for entry in sorted_and_sized(at_first)
        if entry.name in watched
    }
    unregistered: tuple[Location, ...] = ()
    replaced: list[dict[str, Location]] = []
    session.run(lambda: module.train(True))
    registered = registered_once(module)
    for i in range(STEPS):
        inputs, earlier = session.fed_to("cpu"), _trainable(registered)
        steps_taken = partial(step, session, module, inputs)
        stepped, raised = session.attempt_steps(steps_taken, module, inputs)
        if raised:
            return Training(raised)
        loss, registered = stepped
        if i == 0 and loss is not None:
            unregistered = tuple(_unregistered(session, module, loss, inputs))
        replaced.append(dict(_replaced_parameters(module, _trainable(registered), earlier)))
    late_names = _parameters_in(registered) - _parameters_in(at_first)
    late_parameters = tuple(_late_parameters(module, late_names))
    always = tuple(replaced[0][name] for name in replaced[0] if name in replaced[-1])
    looked_at = [entry for entry in registered if entry.name in watched]
    return Training(None, tuple(trained(looked_at, before)), unregistered, late_parameters, always)


def _trainable(registered: list[Reached]) -> dict[str, Reached]:
    parameters = (entry for entry in registered if entry.role == "parameter")
    return {entry.name: entry for entry in parameters if entry.tensor.requires_grad}


def _replaced_parameters(
    module: nn.Module, now: dict[str, Reached], before: dict[str, Reached]
) -> Iterator[tuple[str, Location]]:
    """The trained Parameters that are another object than before, by name."""
    for name, entry in now.items():
        if name in before and before[name].tensor is not entry.tensor:
            yield name, _replacing(module, entry).location(entry.path)


def _replacing(module: nn.Module, entry: Reached) -> AttributeAssignment:
    """The line that replaces a Parameter: in its own class, or in one that holds its module."""
    classes = (type(owner) for owner, _, _ in registered_modules(module))
    found = (rebinding_of(cls, entry.attribute) for cls in (entry.owner, *classes))
    return next((at for at in found if at.line), assignment_of(entry.owner, entry.attribute))


def _unregistered(
    session: Session, module: nn.Module, loss: torch.Tensor, inputs: Inputs
) -> Iterator[Location]:
    """Leaves of the autograd graph that are not in `parameters()`: no optimizer gets them."""
    registered = {id(parameter) for parameter in session.run(lambda: list(module.parameters()))}
    others = [leaf for leaf in _leaves_of_graph(loss) if id(leaf) not in registered]
    if not others:
        return
    names = named_tensors(module, inputs, session.run)
    for leaf in others:
        if id(leaf) in names.inputs:
            continue
        path = names.attributes.get(id(leaf)) or names.globals.get(id(leaf)) or ""
        if path or isinstance(leaf, nn.Parameter):  # else a gradient that forward itself asks for
            file, line = session.trace.position_of(leaf)
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


def _parameters_in(registered: list[Reached]) -> set[str]:
    return {entry.name for entry in registered if entry.role == "parameter"}


def _late_parameters(module: nn.Module, names: set[str]) -> Iterator[Location]:
    for reached in Walk(module).reached if names else ():
        if reached.name in names:
            # The learner wrote the first attribute of the path; the rest is the new layer's.
            attribute = reached.name.split(".")[0]
            yield assignment_of(type(module), attribute).location(f"self.{attribute}")
