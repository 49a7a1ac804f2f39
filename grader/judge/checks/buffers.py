"""Whether what is not trained is registered, saved and what the exercise asks for."""

from __future__ import annotations

from grader.judge.checks.graded_answer import (
    GradedAnswer,
    Problems,
    as_built_and_called,
    registered_fact,
    wrong_values,
)
from grader.schema import Evidence, Expected, TensorFact


def buffers(answer: GradedAnswer) -> Problems:
    """One message for each expected buffer that is missing, or not as the exercise asks."""
    kept = [tensor for tensor in answer.rubric.tensors if tensor.role != "parameter"]
    yield from as_built_and_called(_wrong_buffer, kept, answer.evidence)
    if answer.rubric.recipe.model:
        known = {tensor.name for tensor in answer.rubric.tensors}
        facts = (*answer.evidence.tensors, *answer.evidence.left)
        if surplus := [f.name for f in facts if f.role == "buffer" and f.name not in known]:
            yield (
                f"`{surplus[0]}` is a buffer, though nobody registered it: "
                "what is assigned to another name than a buffer's becomes an ordinary attribute"
            )


def _wrong_buffer(expected: Expected, evidence: Evidence, is_new: bool) -> Problems:
    """At most one message on what should be a buffer, or at least saved.

    1. It need only be saved, and `state_dict()` has it by other means: nothing is wrong.
    2. Nothing is registered by that name.
    3. It is another registered tensor by a second name, or shares its memory.
    4. It is a Parameter. Where it need only be saved, a frozen one will do.
    5. It is a buffer that requires a gradient.
    6. It is not persistent, so it is not saved.
    7. Its shape, then its dtype, then its first value, where it is new, are not the exercise's.
    """
    fact = registered_fact(expected.name, evidence)
    saved = evidence.structure.state_keys if evidence.structure else ()
    if fact is None and expected.role == "saved" and expected.name in saved:
        return
    if fact is None:
        yield f"`{expected.name}` is not registered"
    elif other := _same_tensor(fact, evidence):
        is_same = other.identity == fact.identity
        how = "is a second name for" if is_same else "shares its memory with"
        yield f"`{expected.name}` {how} `{other.name}`: make a tensor for each"
    elif fact.role == "parameter" and (expected.role == "buffer" or fact.requires_grad):
        yield f"`{expected.name}` is a Parameter; it should be a buffer"
    elif fact.role == "buffer" and fact.requires_grad:
        yield f"`{expected.name}` is a buffer, but requires a gradient; give it a plain tensor"
    elif not fact.persistent:
        yield f"`{expected.name}` is a non-persistent buffer, so `state_dict()` leaves it out"
    else:
        yield from wrong_values(expected, fact, is_new)


def _same_tensor(fact: TensorFact, evidence: Evidence) -> TensorFact | None:
    """Another registered tensor that is the same object, or begins at the same address."""
    for other in evidence.tensors:
        is_there = fact.storage and other.storage == fact.storage
        if other.name not in ("", fact.name) and (is_there or other.identity == fact.identity):
            return other
    return None
