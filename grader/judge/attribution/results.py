"""What an audit sees in calls that ran: results elsewhere, and gradients that no optimizer sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader.judge.attribution.cause import Cause, How, Shown
from grader.judge.attribution.causes import Misplaced, made_here
from grader.judge.attribution.held import hidden_cause, result_of_parameter
from grader.judge.codes import Code
from grader.judge.lookups import is_number, is_result, unregistered_tensors
from grader.schema import Evidence, Location, Operand, Output, Run, TensorFact

MOVES = ("torch.Tensor.to", "torch.Tensor.cuda", "torch.Tensor.cpu")
# Factories that turn Python's or NumPy's numbers into tensors: of a result on the CPU, a decoded
# text say, they are no slip.
FROM_NUMBERS = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray")


def misplaced_results(run: Run, evidence: Evidence) -> Iterator[Cause]:
    """The cause of each output that is on another device than the call.

    0-dimensional outputs do not count: PyTorch lets them mix with any device. Nor do those without
    a number, and CPU outputs that look intended (`_is_meant`). Nothing tells a module where it is
    that registers no tensor and is given none: whoever holds it may take what it gives to its
    place. So there only a tensor that it holds counts, and not as an error.
    """
    is_registered = any(fact.role != "plain" for fact in evidence.tensors)
    is_nowhere = evidence.baseline.given_numbers and not is_registered
    for output in run.outputs:
        has_numbers = output.shape and 0 not in output.shape
        if output.device and output.device != run.device and has_numbers:
            for cause in _misplaced_result(output, run, evidence):
                if not is_nowhere:
                    yield cause
                elif cause.code is Code.MEMBER_TENSOR:
                    yield replace(cause, shown=Shown.HELD)


def gradient_causes(evidence: Evidence) -> Iterator[Cause]:
    """The tensors that a training step gave a gradient, and `parameters()` does not list.

    1. Parameters that were registered during training: a call built a layer.
    2. A plain tensor of the module: unregistered, or hidden in a container. Not a number for which
       only the call asks for a gradient, such as a state that all calls begin with.
    3. No path, but the module holds results of Parameters: one of them, by line if possible.
    4. Otherwise, with a line: the call built a layer.
    """
    if evidence.cpu_training is None:
        return
    for location in evidence.cpu_training.newcomers:
        yield _layer_in_call(location)
    facts = {fact.path: fact for fact in unregistered_tensors(evidence)}
    known = {fact.path for fact in evidence.tensors if fact.role != "plain"}
    known |= {path for path, fact in facts.items() if is_number(fact)}
    for location in evidence.cpu_training.unregistered:
        if location.path not in known and (cause := _gradient_cause(location, facts)):
            yield replace(cause, shown=Shown.GRADIENT)


def _misplaced_result(output: Output, run: Run, evidence: Evidence) -> Iterator[Cause]:
    plain = {fact.path for fact in unregistered_tensors(evidence)}
    is_kept = output.held_at in plain or bool(output.held_at and output.earlier)
    operand = Operand(
        output.device,
        source="attribute" if is_kept else "made",
        name=output.held_at,
        line=output.line,
        code=output.code or output.path,
        earlier=is_kept,
        file=output.file,
        site=output.site,
    )
    base = replace(made_here(output.made_by, operand, run), result=output.path)
    cause = Misplaced(operand, base, evidence).cause()
    is_told = is_kept or cause.how is How.REMEMBERED or output.device != "cpu"
    if is_told or not _is_meant(output, run):
        yield cause


def _is_meant(output: Output, run: Run) -> bool:
    """Whether a result looks as if it were on the CPU on purpose, or no line made it."""
    if output.made_by in ("", *MOVES) or "cpu" in output.code:
        return True
    nothing_else = all(other.device in ("", "cpu") for other in run.outputs)
    return nothing_else and output.made_by in FROM_NUMBERS


def _gradient_cause(location: Location, facts: dict[str, TensorFact]) -> Cause | None:
    """Cases 2 to 4 of `gradient_causes`, for one tensor that got a gradient."""
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
    return _layer_in_call(location) if location.line else None


def _layer_in_call(location: Location) -> Cause:
    where = location.path or f"line {location.line}"
    line, file = location.line, location.file
    return Cause(Code.LAYER_IN_FORWARD, where, line, Shown.GRADIENT, file=file)
