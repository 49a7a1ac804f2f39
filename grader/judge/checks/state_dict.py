"""Whether a `state_dict()` holds what it should, and a fresh instance can load it."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.outputs import differences, has_nan
from grader.judge.wording import describe, join_names
from grader.schema import Checkpoint, Evidence, Rubric


def state_dict(answer: GradedAnswer) -> Problems:
    """Messages about keys, then about a fresh instance that loads the `state_dict()`."""
    evidence, rubric = answer.evidence, answer.rubric
    keys = evidence.structure.state_keys if evidence.structure else ()
    yield from _wrong_keys(set(keys), evidence, rubric)
    checkpoint = evidence.checkpoint
    if checkpoint is None:
        return
    alone = list(_wrong_reload(checkpoint))
    yield from alone
    if checkpoint.as_part and not alone:
        for problem in _wrong_reload(checkpoint.as_part):
            yield (
                f"where the module is part of a larger one, {problem}; the methods that save and "
                "load get a `prefix` there, with which every key begins"
            )
    again = checkpoint.again
    if again and again.before and again.after and not alone:
        wrong = differences(again.after, again.before, rubric.random_outputs)
        yield from (
            "loaded on CUDA into an instance that was called there before, it does not reach what "
            f"`forward` uses: {problem}"
            for problem in islice(wrong, 1)
        )
    if evidence.reloaded and evidence.reloaded.unexpected:
        names = join_names(list(evidence.reloaded.unexpected))
        yield f"once it was called, it also holds {names}, which a fresh instance does not load"


def _wrong_reload(checkpoint: Checkpoint) -> Problems:
    if checkpoint.raised:
        yield f"loading it into a fresh instance raised {describe(checkpoint.raised)}"
    elif checkpoint.missing or checkpoint.unexpected:
        if checkpoint.missing:
            yield f"a fresh instance that loads it lacks {join_names(list(checkpoint.missing))}"
        if checkpoint.unexpected:
            yield f"a fresh instance has no place for {join_names(list(checkpoint.unexpected))}"
    elif has_nan(checkpoint.before):
        yield "its outputs are NaN, so a saved and a loaded module cannot be compared"
    elif any(differences(checkpoint.after, checkpoint.before)):
        yield "a fresh instance that loaded it gives other outputs: something is not saved"


def _wrong_keys(keys: set[str], evidence: Evidence, rubric: Rubric) -> Problems:
    expected = {tensor.name for tensor in rubric.tensors}
    if not rubric.names_matter:
        if len(keys) < len(expected):
            lacking = _lacking_shapes(keys, evidence, rubric)
            yield f"it has {len(keys)} keys; expected: {len(expected)}{lacking}"
        return
    if expected - keys:
        yield f"it lacks {join_names(sorted(expected - keys))}"
    if keys - expected:
        buffers = {fact.name for fact in evidence.tensors if fact.role == "buffer"}
        is_one_more = keys >= expected and keys - expected <= buffers
        how = ": a buffer with `persistent=False` is left out" if is_one_more else ""
        yield f"{join_names(sorted(keys - expected))} should not be in it{how}"


def _lacking_shapes(keys: set[str], evidence: Evidence, rubric: Rubric) -> str:
    have = Counter(fact.shape for fact in evidence.tensors if fact.name in keys)
    need = Counter(tensor.shape for tensor in rubric.tensors if tensor.shape is not None)
    shapes = ", ".join(str(shape) for shape in need - have)
    return f" (it holds no tensor of shape {shapes})" if have and shapes else ""
