"""Whether `parameters()` returns what the exercise wants trained."""

from __future__ import annotations

from collections import Counter

from grader.judge.checks.graded_answer import (
    GradedAnswer,
    Problems,
    as_built_and_called,
    registered_fact,
    wrong_values,
)
from grader.judge.wording import join_names
from grader.schema import Evidence, Expected, TensorFact


def parameters(answer: GradedAnswer) -> Problems:
    """One message for each Parameter that is missing, shared, surplus, or of the wrong shape."""
    evidence, rubric = answer.evidence, answer.rubric
    if left_out := evidence.structure.unlisted if evidence.structure else ():
        yield f"`parameters()` leaves out {join_names(list(left_out))}"
    registered = (fact for fact in evidence.tensors if fact.role == "parameter")
    found = [fact for fact in registered if fact.requires_grad]
    yield from _sharing_memory(found)
    expected = [tensor for tensor in rubric.tensors if tensor.role == "parameter"]
    if not rubric.names_matter:
        yield from _unmatched_shapes(found, expected)
        return
    yield from as_built_and_called(_wrong_parameter, expected, evidence)
    surplus = sorted({fact.name for fact in found} - {tensor.name for tensor in rubric.tensors})
    if surplus:
        yield f"trainable, though the exercise does not ask for it: {join_names(surplus)}"


def _sharing_memory(found: list[TensorFact]) -> Problems:
    """Two Parameters over the same memory: a step that trains one changes the other."""
    firsts: dict[int, TensorFact] = {}
    for fact in found:
        first = firsts.setdefault(fact.storage, fact) if fact.storage else fact
        if first.identity != fact.identity:
            yield (
                f"`{first.name}` and `{fact.name}` share their memory, so training one changes the "
                "other: make a tensor for each"
            )


def _wrong_parameter(expected: Expected, evidence: Evidence, is_new: bool) -> Problems:
    fact = registered_fact(expected.name, evidence)
    if fact is None or fact.role != "parameter":
        yield f"`{expected.name}` is not in `parameters()`"
    elif not fact.requires_grad:
        yield f"`{expected.name}` is a Parameter with requires_grad=False, so it is never trained"
    else:
        yield from wrong_values(expected, fact, is_new)


def _unmatched_shapes(found: list[TensorFact], expected: list[Expected]) -> Problems:
    have = Counter(tensor.shape for tensor in found)
    need = Counter(tensor.shape for tensor in expected if tensor.shape is not None)
    if sum(have.values()) != sum(need.values()):
        yield f"`parameters()` returns {sum(have.values())} tensors; expected: {sum(need.values())}"
    elif have != need:
        missing = ", ".join(str(shape) for shape in need - have)
        yield f"`parameters()` has no tensor of shape {missing}"
