"""Questions about evidence that several rules ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from grader.judge.wording import on_device
from grader.schema import (
    AFTER_MOVES,
    Evidence,
    Expected,
    Phase,
    Placed,
    RememberedDevice,
    Rubric,
    Run,
    Site,
    Structure,
    TensorFact,
    nearly_equal,
)

# The calls of one instance, in order.
OF_ONE_INSTANCE = (
    (Phase.CPU, *AFTER_MOVES),
    (Phase.CUDA, Phase.TRAIN_MODE, Phase.HALF_BATCH),
)


def structure(evidence: Evidence) -> Structure:
    """The module as constructed; an empty one if it was not."""
    return evidence.structure or Structure()


def built_on_cuda(evidence: Evidence) -> Placed:
    """The module constructed on CUDA; one without tensors if that was not tried."""
    return evidence.on_device or Placed("")


def real_runs(evidence: Evidence) -> Iterator[Run]:
    """The calls of instances that no helped call has changed, none of them helped."""
    helped = {run.phase for run in evidence.runs if run.helped}
    for run in evidence.runs:
        earlier = (
            calls[: calls.index(run.phase)] for calls in OF_ONE_INSTANCE if run.phase in calls
        )
        if helped.isdisjoint(next(earlier, ())):
            yield replace(run, helped=None)


def repeats(evidence: Evidence) -> bool:
    """Whether a second call on the CPU, with the same inputs, gave nearly equal outputs."""
    first, again = evidence.run_of(Phase.CPU), evidence.run_of(Phase.CPU_AGAIN)
    if first is None or again is None or first.raised or again.raised:
        return False
    return nearly_equal(again.outputs, first.outputs)


def changed_by_moves(evidence: Evidence) -> Run | None:
    """The first call after a move that gave other numbers because of the move.

    1. Nothing can be said of a module that gives other numbers in a later call on the CPU too: in
       its second, or in those of the control, which is called as often and never moved.
    2. If a new instance, moved before its first call, gives other numbers as well, then CUDA merely
       computes otherwise: only what is different back on the CPU tells.
    3. Nothing can be said of an instance that a helped call has changed.
    """
    first = evidence.run_of(Phase.CPU)
    if first is None or evidence.random or not repeats(evidence):
        return None
    if not all(nearly_equal(run.outputs, first.outputs) for run in evidence.controls):
        return None
    fresh = evidence.run_of(Phase.CUDA)
    computes_alike = fresh is None or nearly_equal(fresh.outputs, first.outputs)
    for run in real_runs(evidence):
        is_comparable = run.phase in AFTER_MOVES and (computes_alike or run.device == "cpu")
        if is_comparable and not run.raised and not nearly_equal(run.outputs, first.outputs):
            return run
    return None


def is_result(fact: TensorFact) -> bool:
    """Whether it has a grad_fn: an operation, such as a move, made it from a Parameter."""
    return fact.requires_grad and not fact.is_leaf


def is_trained(fact: TensorFact) -> bool:
    """Whether it is a Parameter, or a tensor that an optimizer could train as one."""
    return fact.is_parameter or (fact.requires_grad and fact.is_leaf)


def is_number(fact: TensorFact) -> bool:
    """Whether it is a tensor of one number, which nothing trains or changes.

    PyTorch lets a 0-dimensional tensor of the CPU mix with any other, as a number.
    """
    return not (fact.shape or fact.changes or is_trained(fact))


def stays_as_made(fact: TensorFact) -> bool:
    """Whether nothing is lost where it stays: a number, or a constant that calls bring along."""
    return fact.constant or is_number(fact)


def unregistered_tensors(evidence: Evidence) -> Iterator[TensorFact]:
    """The tensors that the module holds and has not registered, each under its first path."""
    tensors = evidence.tensors
    registered = {fact.identity for fact in tensors if fact.role != "plain"}
    listed_already: set[int] = set()
    for fact in tensors:
        if fact.identity not in registered and fact.identity not in listed_already:
            listed_already.add(fact.identity)
            yield fact


def follows(fact: TensorFact, evidence: Evidence) -> bool:
    """Whether every move took an unregistered tensor along, as an overridden `_apply` can do."""
    has_moved = [
        any(
            tensor.path == fact.path and tensor.device.startswith("cuda") for tensor in move.tensors
        )
        for move in evidence.movements
    ]
    return fact.device == "cpu" and bool(has_moved) and all(has_moved)


def left_behind(move: Placed) -> list[TensorFact]:
    """The tensors that a move to CUDA did not move."""
    return [fact for fact in move.tensors if not on_device(fact.device, "cuda")]


def forgotten_by_override(evidence: Evidence) -> list[str]:
    """The paths of the registered tensors that an overridden `to` or `_apply` did not move."""
    if not structure(evidence).overrides and not structure(evidence).own_apply:
        return []
    # `.cuda()` and `.to("cuda")` are two movements, and an override may cover only one of them.
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
            first = next(other for other in tensors if other.identity == fact.identity)
            is_other = first.path != fact.path and first.role != "plain"
            yield fact, expected, first if is_other else None


def device_attribute(site: Site | None, evidence: Evidence) -> RememberedDevice | None:
    """The attribute that remembers a device and named that of an expression."""
    named = re.findall(r"\bself\.(\w+)", site.named) if site else ()
    devices = structure(evidence).devices
    return next((at for at in devices if at.path.rpartition(".")[2] in named), None)


def enclosing_paths(path: str) -> Iterator[str]:
    """`path`, then each path that contains it: `self.a[0].b`, `self`, `self.a`, `self.a[0]`.

    A finding on a container hides the findings inside it.
    """
    yield path
    yield from (path[:i] for i, character in enumerate(path) if character in ".[")
