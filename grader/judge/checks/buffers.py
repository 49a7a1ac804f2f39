"""Whether what is not trained is registered, saved and what the exercise asks for."""

from __future__ import annotations

from grader.evidence import Evidence, TensorFact
from grader.judge.checks.answer import Answer, Problems, registered_fact, wrong_start
from grader.rubrics import Expected


def buffers(answer: Answer) -> Problems:
    """Each thing that is wrong, in words."""
    evidence, rubric = answer.evidence, answer.rubric
    for wanted in rubric.tensors:
        if wanted.role != "parameter":
            yield from _wrong_buffer(wanted, evidence)


def _wrong_buffer(wanted: Expected, evidence: Evidence) -> Problems:
    fact = registered_fact(wanted.name, evidence)
    saved = evidence.structure.state_keys if evidence.structure else ()
    if fact is None and wanted.role == "saved" and wanted.name in saved:
        return
    if fact is None:
        yield f"`{wanted.name}` is not registered"
    elif other := _same_tensor(fact, evidence):
        is_same = other.identity == fact.identity
        how = "is a second name for" if is_same else "shares its memory with"
        yield f"`{wanted.name}` {how} `{other.name}`: make a tensor for each"
    elif fact.role == "parameter" and (wanted.role == "buffer" or fact.requires_grad):
        yield f"`{wanted.name}` is a Parameter; it should be a buffer"
    elif fact.role == "buffer" and fact.requires_grad:
        yield f"`{wanted.name}` is a buffer, but requires a gradient; give it a plain tensor"
    elif not fact.persistent:
        yield f"`{wanted.name}` is a non-persistent buffer, so `state_dict()` leaves it out"
    elif wanted.shape not in (None, fact.shape):
        yield f"`{wanted.name}` has shape {fact.shape}; wanted: {wanted.shape}"
    elif fact.dtype not in wanted.dtypes:
        yield f"`{wanted.name}` has dtype {fact.dtype}; wanted: {' or '.join(wanted.dtypes)}"
    else:
        yield from wrong_start(wanted, fact)


def _same_tensor(fact: TensorFact, evidence: Evidence) -> TensorFact | None:
    """Another registered tensor that is the same object, or lies in the same memory."""
    others = (each for each in evidence.tensors if each.name not in ("", fact.name))
    return next(
        (
            each
            for each in others
            if each.identity == fact.identity or (each.storage and each.storage == fact.storage)
        ),
        None,
    )
