"""The tensors that a training step gave a gradient, and that no optimizer sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.evidence import Evidence, Location, TensorFact
from grader.judge.attribution.cause import Cause, Shown
from grader.judge.attribution.held import hidden_cause, result_of_parameter
from grader.judge.codes import Code
from grader.judge.lookups import is_result, unregistered


def gradients(evidence: Evidence) -> Iterator[Cause]:
    """What got a gradient although `parameters()` does not list it."""
    if evidence.training is None:
        return
    for place in evidence.training.newcomers:
        yield _built_in_call(place)
    facts = {fact.path: fact for fact in unregistered(evidence)}
    registered = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    for place in evidence.training.unregistered:
        if place.path not in registered and (cause := _got_gradient(place, facts)):
            yield replace(cause, shown=Shown.GRADIENT)


def _got_gradient(place: Location, facts: dict[str, TensorFact]) -> Cause | None:
    fact = facts.get(place.path)
    if fact and fact.holder:
        return hidden_cause(tuple(f for f in facts.values() if f.holder == fact.holder), fact)
    if fact and "." in fact.path.removeprefix("self."):
        return hidden_cause((fact,))
    if fact:
        return Cause(Code.MEMBER_TENSOR, fact.path, fact.line)
    results = [each for each in facts.values() if is_result(each)]
    if results:
        on_line = [each for each in results if each.line == place.line]
        return result_of_parameter((on_line or results)[0])
    return _built_in_call(place) if place.line else None


def _built_in_call(place: Location) -> Cause:
    where = place.path or f"line {place.line}"
    return Cause(Code.LAYER_IN_FORWARD, where, place.line, Shown.GRADIENT)
