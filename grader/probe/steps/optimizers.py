"""The optimizers that a module holds, which were built before it moved."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.source import assignment_of
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Evidence, Location, Optimizer

OPTIMIZER = torch.optim.Optimizer


def optimizers(session: Session, evidence: Evidence) -> Evidence:
    """Inspect each optimizer that the module holds, after a move to CUDA.

    Which of its tensors are not the module's, which of the module's it lacks, and whether it steps.
    """
    if not (evidence.structure and evidence.structure.holds_optimizers):
        return evidence
    module = session.new().module
    held = list(optimizers_of(module))
    module.to("cuda:0")
    facts = (inspected(session, module, *found) for found in held)
    return replace(evidence, optimizers=tuple(facts))


def optimizers_of(module: nn.Module) -> Iterator[tuple[Location, torch.optim.Optimizer]]:
    """The optimizers that registered modules hold as attributes, each with where it is bound."""
    for owner, path, _ in registered_modules(module):
        for name, value in dict_of(owner).items():
            if issubclass(type(value), OPTIMIZER):  # not `is_a`: a hot path
                yield assignment_of(type(owner), name).location(f"{path}.{name}"), value


def inspected(
    session: Session, module: nn.Module, at: Location, optimizer: torch.optim.Optimizer
) -> Optimizer:
    """What an optimizer holds of the module's, and what a step of it raises."""
    held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    named = session.run(lambda: dict(module.named_parameters()))
    registered = {id(parameter): name for name, parameter in named.items()}
    known = {id(found.tensor) for found in Walk(module).reached}
    forgotten = set(registered) - {id(parameter) for parameter in held}
    trainable = {id(parameter) for parameter in named.values() if parameter.requires_grad}
    for parameter in held:
        parameter.grad = torch.zeros_like(parameter)
    _, raised = session.attempt(optimizer.step, module)
    return Optimizer(
        path=at.path,
        line=at.line,
        file=at.file,
        strangers=sum(id(parameter) not in known for parameter in held),
        forgotten=tuple(sorted(registered[key] for key in forgotten & trainable)),
        raised=raised,
    )
