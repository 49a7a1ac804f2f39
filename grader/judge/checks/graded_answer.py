"""The input of the checks, and two questions that several of them share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.judge.findings import Sighting
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


def registered_fact(name: str, evidence: Evidence) -> TensorFact | None:
    return next((fact for fact in evidence.tensors if fact.name == name), None)


def wrong_start(expected: Expected, fact: TensorFact) -> Problems:
    """A message if the tensor is not constant at the value that the exercise asks for at first."""
    start = fact.uniform.numbers()[0] if fact.uniform else None
    if expected.start is not None and start != expected.start:
        has = "other values" if start is None else f"{start:g} everywhere"
        yield f"`{expected.name}` has {has} at first; wanted: {expected.start:g}"
