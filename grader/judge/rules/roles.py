"""Tensors registered as something else than the exercise asks for."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Evidence, TensorFact
from grader.judge.report import Finding
from grader.rubrics import Expected, Rubric


def roles(evidence: Evidence, rubric: Rubric) -> Iterator[Finding]:
    """`parameter-or-buffer` and, for a buffer that is not saved, `lost-from-checkpoint`."""
    tensors = evidence.tensors
    found = {fact.name: fact for fact in tensors if fact.role != "plain"}
    for expected in rubric.tensors:
        fact = found.get(expected.name)
        first = next((f for f in tensors if fact and f.identity == fact.identity), fact)
        if fact is None:
            continue
        if first is not None and first.path != fact.path and first.role != "plain":
            yield _one_tensor(fact, first)
        else:
            yield from _wrong_role(fact, expected)


def _one_tensor(fact: TensorFact, first: TensorFact) -> Finding:
    """Two names for one tensor, where the exercise has two tensors."""
    return Finding(
        "parameter-or-buffer",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is a second name for `{first.path}`: one tensor cannot be two, and "
        "whatever changes one changes the other.",
        "Give each of them a tensor of its own.",
    )


def _wrong_role(fact: TensorFact, expected: Expected) -> Iterator[Finding]:
    if expected.role == "parameter":
        if fact.role == "buffer" or not fact.requires_grad:
            yield _should_be_parameter(fact, expected)
    elif fact.role == "parameter" and (expected.role == "buffer" or fact.requires_grad):
        yield _should_be_buffer(fact, expected)
    elif not fact.persistent:
        yield _should_be_saved(fact)


def _should_be_parameter(fact: TensorFact, expected: Expected) -> Finding:
    is_a = "a buffer" if fact.role == "buffer" else "a Parameter with requires_grad=False"
    fix = "Make it a Parameter in `__init__`."
    if fact.role == "parameter":
        fix = "Drop `requires_grad=False`: a Parameter is there to be trained."
    return Finding(
        "parameter-or-buffer",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is {is_a}, so no optimizer will ever change it; but "
        f"{expected.why or 'the exercise wants it trained'}.",
        fix,
    )


def _should_be_buffer(fact: TensorFact, expected: Expected) -> Finding:
    harm = (
        "so an optimizer will change it" if fact.requires_grad else "which is for what is trained"
    )
    return Finding(
        "parameter-or-buffer",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is a Parameter, {harm}; but "
        f"{expected.why or 'the exercise wants it left as it is'}.",
        "Make it a buffer in `__init__`.",
    )


def _should_be_saved(fact: TensorFact) -> Finding:
    return Finding(
        "lost-from-checkpoint",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is a buffer with persistent=False, so `state_dict()` leaves it out: a "
        "reloaded model starts with another value.",
        "Drop `persistent=False` where it is registered.",
    )
