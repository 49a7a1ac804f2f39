"""The tensors that a training step gave a gradient, and that no optimizer sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.attribution.cause import Cause, Shown
from grader.judge.attribution.held import hidden_cause, result_of_parameter
from grader.judge.codes import Code
from grader.judge.lookups import is_result, unregistered
from grader.schema import Evidence, Location, TensorFact


def gradients(evidence: Evidence) -> Iterator[Cause]:
    """The tensors that a training step gave a gradient, and `parameters()` does not list.

    1. Parameters that were registered during training: a call built a layer.
    2. A plain tensor of the module: unregistered, or hidden in a container.
    3. No path, but the module holds results of Parameters: one of them, by line if possible.
    4. Otherwise, with a line: the call built a layer.
    """
    if evidence.training is None:
        return
    for location in evidence.training.newcomers:
        yield _built_in_call(location)
    facts = {fact.path: fact for fact in unregistered(evidence)}
    registered = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    for location in evidence.training.unregistered:
        if location.path not in registered and (cause := _got_gradient(location, facts)):
            yield replace(cause, shown=Shown.GRADIENT)


def _got_gradient(location: Location, facts: dict[str, TensorFact]) -> Cause | None:
    fact = facts.get(location.path)
    if fact and fact.holder:
        return hidden_cause(tuple(f for f in facts.values() if f.holder == fact.holder), fact)
    if fact and "." in fact.path.removeprefix("self."):
        return hidden_cause((fact,))
    if fact:
        return Cause(Code.MEMBER_TENSOR, fact.path, fact.line, file=fact.file)
    results = [result for result in facts.values() if is_result(result)]
    if results:
        position = location.file, location.line
        on_line = [result for result in results if (result.file, result.line) == position]
        return result_of_parameter((on_line or results)[0])
    return _built_in_call(location) if location.line else None


def _built_in_call(location: Location) -> Cause:
    where = location.path or f"line {location.line}"
    line, file = location.line, location.file
    return Cause(Code.LAYER_IN_FORWARD, where, line, Shown.GRADIENT, file=file)
