"""Moves of the module to CUDA, and where its tensors are then."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.registered import registered_once
from grader.probe.session import Instance, Session
from grader.probe.shortcuts import (
    Spare,
    complete_movement,
    leave,
    moves_as_a_whole,
    take_or_make,
)
from grader.probe.steps.other_placements import built
from grader.schema import Evidence, Placed, Raised

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
    """Move a new instance, and look where its tensors are.

    Only a trace tells which line made what stays behind.
    """
    if evidence.movements:
        return evidence
    if moves_as_a_whole(evidence):
        with session.untraced():
            instance, raised = _moved(session, CUDA, Spare.UNCALLED)
        if raised is None and (movement := complete_movement(session, instance.module)):
            leave(session, Spare.MOVED, instance)
            return replace(evidence, movements=(movement,))
    return replace(evidence, movements=(_move(session, CUDA),))


def move_unless_whole(session: Session, evidence: Evidence) -> Evidence:
    """As `move_to_cuda`; what moves as a whole is looked at where it is moved for its calls."""
    return evidence if moves_as_a_whole(evidence) else move_to_cuda(session, evidence)


def _move(session: Session, how: str) -> Placed:
    instance = session.new()
    before = registered_once(instance.module)
    raised = _attempt(session, how, instance)
    if raised is None and how == CUDA:
        leave(session, Spare.MOVED_AND_TRACED, instance)
    tensors = session.tensors_of(instance.module)
    kept = {id(entry.tensor) for entry in registered_once(instance.module)}
    parameters = (entry for entry in before if entry.role == "parameter")
    replaced = tuple(entry.path for entry in parameters if id(entry.tensor) not in kept)
    return Placed(how, raised, tensors, replaced)


def _moved(session: Session, how: str, *spares: Spare) -> tuple[Instance, Raised | None]:
    """A new instance, or a spare one, on CUDA, and what the move raised."""
    instance = take_or_make(session, *spares)
    return instance, _attempt(session, how, instance)


def _attempt(session: Session, how: str, instance: Instance) -> Raised | None:
    _, raised = session.attempt(lambda: MOVES[how](instance.module), instance.module)
    return raised
