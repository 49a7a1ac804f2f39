"""Misplaced tensors for which a method answers that overrides how a module moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.attribution.cause import Cause, How
from grader.judge.codes import Code
from grader.judge.lookups import enclosing_paths, left_behind, run_of, structure
from grader.schema import Evidence, Location, Phase


def blamed_on_override(cause: Cause, evidence: Evidence) -> Cause:
    """`cause`, or the overridden method of the module that holds the tensor, if that explains it.

    1. A registered tensor that a move left behind: the method does not move what PyTorch would.
    2. A child's tensor, in an instance that works once the child was moved by its own method: a
       parent does not call that.
    """
    path = cause.name if cause.name.startswith("self.") else cause.path
    for override in _above(path, evidence):
        owner, _, method = override.path.rpartition(".")
        blamed = replace(cause, code=Code.TO_OVERRIDE, path=override.path, name=path)
        blamed = replace(blamed, line=override.line, file=override.file)
        if path in _left_behind(evidence):
            return replace(blamed, how=How.FORGOTTEN)
        children = run_of(evidence, Phase.CHILDREN_MOVED)
        if owner != "self" and method != "_apply" and children and not children.raised:
            return replace(blamed, how=How.NOT_CALLED)
    return cause


def _above(path: str, evidence: Evidence) -> Iterator[Location]:
    """The overridden methods of the modules that hold `path`."""
    holders = set(enclosing_paths(path))
    for override in (*structure(evidence).own_apply, *structure(evidence).overrides):
        if override.path.rpartition(".")[0] in holders:
            yield override


def _left_behind(evidence: Evidence) -> set[str]:
    """The registered tensors that a move to CUDA did not move."""
    facts = (fact for move in evidence.movements for fact in left_behind(move))
    return {fact.path for fact in facts if fact.role != "plain"}
