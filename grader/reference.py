"""What `forward` should have given: the solution, run on the same inputs from the same state.

This is the judge's side: it runs our code on plain data, never the learner's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, permutations, product

import torch
from torch import nn

from grader.catalog import solution_file
from grader.evidence import Evidence, Output, State, Values
from grader.judge.outputs import differences
from grader.loading import class_of, execute, read_source
from grader.probe.stages import recipe_inputs
from grader.probe.subject import Inputs
from grader.probe.values import outputs_of, saved_state, set_state, sorted_state
from grader.rubrics import Rubric

MOST_PAIRINGS = 720


def expected_outputs(rubric: Rubric, evidence: Evidence) -> tuple[Output, ...]:
    """The solution's outputs, on the CPU, for the inputs and state that `evidence` tells of.

    Raises:
        LoadingError: there is no solution.
    """
    path = solution_file(rubric.stem)
    cls = class_of(execute(read_source(path), path), rubric.class_name)
    inputs = recipe_inputs(rubric.recipe, evidence.seed)
    learners = next((run.outputs for run in evidence.runs if not run.raised), ())
    outputs: tuple[Output, ...] = ()
    held = {fact.path.removeprefix("self.") for fact in evidence.tensors}

    def fresh_solution() -> nn.Module:
        module: nn.Module = cls(**rubric.recipe.arguments)
        _spoil(module, held if rubric.names_matter else set(sorted_state(module)), evidence.seed)
        return module

    with torch.random.fork_rng(devices=[]):  # a notebook goes on with its own random numbers
        for state in _states(rubric, evidence.state, fresh_solution()):
            outputs = _run(fresh_solution(), state, inputs, evidence.seed)
            if not any(differences(learners, outputs)):
                break
    return outputs


def _spoil(module: nn.Module, held: set[str], seed: int) -> None:
    """Give other values to what the learner's module does not have at all.

    Its initial ones and zeros would be right by accident, for a forward that leaves them out.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in saved_state(module).items():
            if name not in held and tensor.is_floating_point():
                tensor.copy_(torch.rand(tensor.shape, generator=generator) + 0.5)


def _run(
    module: nn.Module, state: tuple[State, ...], inputs: Inputs, seed: int
) -> tuple[Output, ...]:
    set_state(module, state)
    module.eval()
    torch.default_generator.manual_seed(seed)  # `torch.manual_seed` concerns CUDA too
    with torch.no_grad():
        return outputs_of(module(*inputs.args))


def _states(
    rubric: Rubric, state: tuple[State, ...], solution: nn.Module
) -> Iterator[tuple[State, ...]]:
    """The state under the solution's names: as it is, or paired by shape where names are free."""
    names = {name: tuple(tensor.shape) for name, tensor in sorted_state(solution).items()}
    if rubric.names_matter or {entry.name for entry in state} == set(names):
        yield state
        return
    yield from islice(_pairings(state, names), MOST_PAIRINGS)


def _pairings(
    state: tuple[State, ...], names: dict[str, tuple[int, ...]]
) -> Iterator[tuple[State, ...]]:
    groups = []
    for shape in set(names.values()):
        theirs = sorted((e for e in state if e.values.shape == shape), key=_natural_order)
        theirs += [_turned(e) for e in state if len(shape) == 2 and e.values.shape == shape[::-1]]
        ours = [name for name in names if names[name] == shape]
        groups.append(list(_matches(ours, theirs)))
    for choice in product(*groups):
        yield tuple(State(name, entry.values) for group in choice for name, entry in group)


def _matches(ours: list[str], theirs: list[State]) -> Iterator[list[tuple[str, State]]]:
    """Every way to match the two; what nobody registered keeps the solution's own value."""
    if len(theirs) < len(ours):
        for names in permutations(ours, len(theirs)):
            yield list(zip(names, theirs, strict=True))
    else:
        for entries in permutations(theirs, len(ours)):
            yield list(zip(ours, entries, strict=True))


def _turned(entry: State) -> State:
    """A matrix, transposed: an `nn.Linear` holds its weight the other way round."""
    rows, columns = entry.values.shape
    numbers = entry.values.numbers()
    turned = (numbers[i * columns + j] for j in range(columns) for i in range(rows))
    return State(entry.name, Values.of(turned, (columns, rows)))


def _natural_order(entry: State) -> list[object]:
    """`layer2` before `layer10`."""
    parts = re.split(r"(\d+)", entry.name)
    return [int(part) if part.isdigit() else part for part in parts]
