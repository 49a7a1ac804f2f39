"""The input of the checks, and two questions that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec import structs

from grader.judge.findings import Sighting
from grader.judge.wording import apart
from grader.schema import Evidence, Expected, Output, Rubric, TensorFact

Problems = Iterator[str]
Wrong = Callable[[Expected, Evidence, bool], Problems]


@dataclass(frozen=True)
class GradedAnswer:
    """What a check reads.

    Attributes:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        expected: what `forward` should have given.
        audited: what the rules found in the audit that the exercise asks for.
    """

    evidence: Evidence
    rubric: Rubric
    expected: tuple[Output, ...]
    audited: tuple[Sighting, ...] = ()


def as_built_and_called(wrong: Wrong, tensors: list[Expected], evidence: Evidence) -> Problems:
    """What is `wrong` with each tensor of a new module; if nothing is, of one that was called."""
    built = [problem for tensor in tensors for problem in wrong(tensor, evidence, True)]
    yield from built
    for when, left in () if built else _after_calls(evidence):
        called = [problem for tensor in tensors for problem in wrong(tensor, left, False)]
        yield from (f"{when}, {problem}" for problem in called)


def _after_calls(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    """The module as its calls left it: when, and the evidence with the tensors it then held."""
    first = evidence.first_calls.left if evidence.first_calls else ()
    for when, left in (("after calls on the CPU", first), ("after a call on CUDA", evidence.left)):
        if left and evidence.structure:
            called = structs.replace(evidence.structure, tensors=left)
            yield when, structs.replace(evidence, structure=called)


def registered_fact(name: str, evidence: Evidence) -> TensorFact | None:
    return next((fact for fact in evidence.tensors if fact.name == name), None)


def wrong_values(expected: Expected, fact: TensorFact, is_new: bool) -> Problems:
    """A message if shape, dtype or, where it is new, the constant value is not the exercise's."""
    if expected.shape not in (None, fact.shape):
        yield f"`{expected.name}` has shape {fact.shape}; expected: {expected.shape}"
        return
    if fact.dtype not in expected.dtypes:
        yield f"`{expected.name}` has dtype {fact.dtype}; expected: {' or '.join(expected.dtypes)}"
        return
    start = fact.uniform.numbers()[0] if fact.uniform else None
    if not is_new or expected.start is None or start == expected.start:
        return
    has, right = "other values", f"{expected.start:g}"
    if start is not None:
        number, right = apart(start, expected.start)
        has = f"{number} everywhere"
    yield f"`{expected.name}` has {has} at first; expected: {right}"
