"""A call of the module as the child of another one that is moved."""

from __future__ import annotations

from typing import Any

from torch import nn

from grader.probe.calls import FIRST_GPU, move_and_call
from grader.probe.inspection.registered import registered_modules
from grader.probe.session import Session
from grader.schema import Evidence, Location, Phase, Run


class Parent(nn.Module):
    """A module that holds the one under audit, as a larger model would."""

    def __init__(self, child: nn.Module) -> None:
        super().__init__()
        self.child = child

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.child(*args, **kwargs)


def part_of_another(session: Session, evidence: Evidence) -> Evidence:
    """Call the module as the child of a parent that is moved.

    `Module.to` of a parent calls `_apply` of its children, and never their `to`. So this differs
    from a plain move only if the module overrides a method such as `to`, and is skipped otherwise.
    If a child does, and a call after a plain move raised, another call follows: of an instance
    whose children were moved by their own methods too.
    """
    overrides = evidence.structure.overrides if evidence.structure else ()
    if any(_owner_of(override) == "self" for override in overrides):
        parent = Parent(session.new().module)
        run = move_and_call(session, parent, Phase.PART_OF_ANOTHER, FIRST_GPU)
        evidence = evidence.with_runs(run)
    children = [override for override in overrides if _owner_of(override) != "self"]
    is_refused = any(run.raised for run in evidence.runs if run.phase is Phase.CUDA)
    if children and is_refused:
        evidence = evidence.with_runs(_children_moved(session, children))
    return evidence


def _children_moved(session: Session, overrides: list[Location]) -> Run:
    """A call after a move that also called what the module's children override."""
    module = session.new().module
    owners = {path: child for child, path, _ in registered_modules(module, "self", "")}
    methods = [
        getattr(owners[_owner_of(override)], override.path.rpartition(".")[2])
        for override in overrides
        if override.path.endswith((".to", ".cuda")) and _owner_of(override) in owners
    ]

    def move() -> None:
        for method in methods:
            method(FIRST_GPU)

    _, raised = session.attempt(move, module)
    if raised:
        return Run(FIRST_GPU, raised, phase=Phase.CHILDREN_MOVED)
    return move_and_call(session, module, Phase.CHILDREN_MOVED, FIRST_GPU)


def _owner_of(override: Location) -> str:
    """The path of the module whose method it is."""
    return override.path.rpartition(".")[0]
