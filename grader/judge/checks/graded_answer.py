"""The input of the checks, and two questions that several of them share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import structs

from grader.judge.findings import Sighting
from grader.judge.wording import apart
from grader.schema import Evidence, Expected, Output, Rubric, TensorFact

Problems = Iterator[str]


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


def after_calls(evidence: Evidence) -> Iterator[tuple[str, Evidence]]:
    """The module as its calls left it: when, and the evidence with the tensors it then held."""
    first = evidence.first_calls.left if evidence.first_calls else ()
    for when, left in (("after calls on the CPU", first), ("after a call on CUDA", evidence.left)):
        if left and evidence.structure:
            yield (
                when,
                structs.replace(
                    evidence, structure=structs.replace(evidence.structure, tensors=left)
                ),
            )


def registered_fact(name: str, evidence: Evidence) -> TensorFact | None:
    return next((fact for fact in evidence.tensors if fact.name == name), None)


def wrong_start(expected: Expected, fact: TensorFact) -> Problems:
    """A message if the tensor is not constant at the value that the exercise asks for at first."""
    start = fact.uniform.numbers()[0] if fact.uniform else None
    if expected.start is None or start == expected.start:
        return
    has, right = "other values", f"{expected.start:g}"
    if start is not None:
        number, right = apart(start, expected.start)
        has = f"{number} everywhere"
    yield f"`{expected.name}` has {has} at first; expected: {right}"
