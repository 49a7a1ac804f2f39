"""Moves of the module to CUDA, and where its tensors are then."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.registered import registered_once
from grader.probe.session import Session, Spare
from grader.probe.steps.other_placements import built
from grader.schema import Evidence, Placed

MOVES: dict[str, Callable[[nn.Module], object]] = {
    ".cuda()": lambda module: module.cuda(),
    '.to("cuda")': lambda module: module.to("cuda"),
}
CUDA = ".cuda()"


def moves_in_each_way(session: Session, evidence: Evidence) -> Evidence:
    """Move a new instance in each way that learners use, and look where its tensors are."""
    evidence = replace(evidence, movements=tuple(_move(session, how) for how in MOVES))
    if not session.wants.takes_device:
        return evidence
    return replace(evidence, built=tuple(built(session)))


def move_to_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Move a new instance, and look where its tensors are."""
    return replace(evidence, movements=(_move(session, CUDA),))


def _move(session: Session, how: str) -> Placed:
    instance = session.new()
    module, before = instance.module, registered_once(instance.module)
    _, raised = session.attempt(lambda: MOVES[how](module), module)
    if raised is None and how == CUDA:
        session.spares[Spare.MOVED] = instance
    tensors = session.tensors_of(module)
    kept = {id(entry.tensor) for entry in registered_once(module)}
    parameters = (entry for entry in before if entry.role == "parameter")
    replaced = tuple(entry.path for entry in parameters if id(entry.tensor) not in kept)
    return Placed(how, raised, tensors, replaced)
