"""Questions about evidence that several rules ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.evidence import (
    Evidence,
    Movement,
    Phase,
    RememberedDevice,
    Run,
    Structure,
    TensorFact,
)
from grader.judge.outputs import much_alike
from grader.judge.wording import on_device
from grader.rubrics import Expected, Rubric


def structure(evidence: Evidence) -> Structure:
    """The module as constructed; an empty one if it was not."""
    return evidence.structure or Structure()


def run_of(evidence: Evidence, phase: Phase) -> Run | None:
    """The run of that phase; None if there was none."""
    return next((run for run in evidence.runs if run.phase is phase), None)


def repeats(evidence: Evidence) -> bool:
    """Whether a second call on the CPU gave what the first gave."""
    first, again = run_of(evidence, Phase.CPU), run_of(evidence, Phase.CPU_AGAIN)
    if first is None or again is None or first.raised or again.raised:
        return False
    return much_alike(again.outputs, first.outputs)


def is_result(fact: TensorFact) -> bool:
    """Whether it came out of an operation on a Parameter."""
    return fact.requires_grad and not fact.is_leaf


def unregistered(evidence: Evidence) -> Iterator[TensorFact]:
    """Each tensor that is held and not registered, once."""
    tensors = evidence.tensors
    registered = {fact.identity for fact in tensors if fact.role != "plain"}
    seen: set[int] = set()
    for fact in tensors:
        if fact.identity not in registered and fact.identity not in seen:
            seen.add(fact.identity)
            yield fact


def follows(fact: TensorFact, evidence: Evidence) -> bool:
    """Whether an unregistered tensor moves all the same: an overridden `_apply` may see to it."""
    seen = [
        any(each.path == fact.path and each.device.startswith("cuda") for each in move.tensors)
        for move in evidence.movements
    ]
    return fact.device == "cpu" and bool(seen) and all(seen)


def left_behind(move: Movement) -> list[TensorFact]:
    """The tensors that a move to CUDA did not move."""
    return [fact for fact in move.tensors if not on_device(fact.device, "cuda")]


def forgotten_by_override(evidence: Evidence) -> list[str]:
    """The paths of the registered tensors that an overridden `to` or `cuda` did not move."""
    if not structure(evidence).overrides:
        return []
    facts = [fact for move in evidence.movements for fact in left_behind(move)]
    return list(dict.fromkeys(fact.path for fact in facts if fact.role != "plain"))


def registered_as(
    evidence: Evidence, rubric: Rubric | None
) -> Iterator[tuple[TensorFact, Expected, TensorFact | None]]:
    """The tensors registered under the names that an exercise asks for.

    With each, what the exercise asks, and the registered tensor that it is a second name for.
    """
    tensors = evidence.tensors
    found = {fact.name: fact for fact in tensors if fact.role != "plain"}
    for expected in rubric.tensors if rubric else ():
        if fact := found.get(expected.name):
            first = next(each for each in tensors if each.identity == fact.identity)
            is_other = first.path != fact.path and first.role != "plain"
            yield fact, expected, first if is_other else None


def device_attribute(code: str, evidence: Evidence) -> RememberedDevice | None:
    """The attribute that remembers a device and is read in a line of code."""
    for place in structure(evidence).devices:
        attribute = place.path.rsplit(".", 1)[-1]
        if re.search(rf"\bself\.{re.escape(attribute)}\b", code):
            return place
    return None


def holding(where: str) -> Iterator[str]:
    """`where`, then each path around it: `self.a[0].b`, `self`, `self.a`, `self.a[0]`."""
    yield where
    yield from (where[:i] for i, character in enumerate(where) if character in ".[")
