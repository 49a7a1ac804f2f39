"""What the checks read, and what several of them ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.evidence import Evidence, Output, TensorFact
from grader.judge.findings import Sighting
from grader.rubrics import Expected, Rubric

Problems = Iterator[str]


@dataclass(frozen=True)
class Answer:
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
    """The tensor registered under a name."""
    return next((fact for fact in evidence.tensors if fact.name == name), None)


def wrong_start(wanted: Expected, fact: TensorFact) -> Problems:
    """Whether it starts with another value than the one that the exercise names."""
    start = fact.uniform.numbers()[0] if fact.uniform else None
    if wanted.start is not None and start != wanted.start:
        has = "other values" if start is None else f"{start:g} everywhere"
        yield f"`{wanted.name}` has {has} at first; wanted: {wanted.start:g}"
