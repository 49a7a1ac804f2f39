"""What the constructor and `forward` should have given: the solution, on the same inputs and state.

This is the judge's side: it runs our code on plain data, never the learner's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice, permutations, product
from pathlib import Path

import torch
from torch import nn

from grader.catalog import solution_file
from grader.evidence import Evidence, FirstCalls, Noise, Output, State, Values
from grader.inspection.inputs import Inputs
from grader.inspection.values import outputs_of, saved_state, set_state, sorted_state
from grader.judge.beginning import (
    Beginning,
    Initial,
    problems_of_first_calls,
    problems_of_other,
)
from grader.judge.outputs import differences
from grader.loading import class_of, execute, read_source
from grader.probe.exercise.first_calls import BUILDS, FIRST_MODES, inputs_of_first_calls
from grader.probe.exercise.noise import batch_size, many_calls, noise_in
from grader.probe.exercise.subject import later_inputs, recipe_inputs
from grader.rubrics import Rubric, load_rubric

MOST_PAIRINGS = 720


def expected_outputs(rubric: Rubric, evidence: Evidence) -> tuple[Output, ...]:
    """The solution's outputs, on the CPU, for the inputs and state that `evidence` tells of.

    Raises:
        LoadingError: there is no solution.
    """
    cls = _solution(solution_file(rubric.stem), rubric)
    inputs = recipe_inputs(rubric.recipe, evidence.seed)
    learners = next((run.outputs for run in evidence.runs if not run.raised), ())
    tried: list[tuple[int, tuple[Output, ...]]] = []
    held = {fact.path.removeprefix("self.") for fact in evidence.tensors}

    def fresh_solution() -> nn.Module:
        module: nn.Module = cls(**rubric.recipe.arguments)
        _spoil(module, held if rubric.names_matter else set(sorted_state(module)), evidence.seed)
        return module

    with torch.random.fork_rng(devices=[]):  # a notebook goes on with its own random numbers
        saved = _saved(evidence.state, evidence)
        ours = saved_state(fresh_solution())
        if not rubric.names_matter:
            # What nothing trains keeps what each constructor gave it.
            saved = _trainable(saved, evidence)
            ours = {name: tensor for name, tensor in ours.items() if tensor.requires_grad}
        shapes = {name: tuple(tensor.shape) for name, tensor in ours.items()}
        for state in _states(rubric, saved, shapes):
            outputs = _run(fresh_solution(), state, inputs, evidence.seed)
            tried.append((len(list(differences(learners, outputs))), outputs))
            if not tried[-1][0]:
                break
    # Where no pairing explains all outputs, the one that explains most of them is meant.
    return min(tried, key=lambda pair: pair[0])[1] if tried else ()


def expected_beginning(rubric: Rubric, evidence: Evidence) -> Beginning:
    """What a new instance should hold and give: as the solution, built with several seeds.

    1. A tensor of the solution that is equal in all of them is determined by the arguments.
    2. The others are random. In the solution they get the values of the learner's new instance.
    3. Then both are called in the same way, and should give the same.

    Raises:
        LoadingError: there is no solution.
    """
    path = solution_file(rubric.stem)
    cls = _solution(path, rubric)
    seen = evidence.first_calls or FirstCalls()
    with torch.random.fork_rng(devices=[]):
        initial = _initial(path, rubric.stem)
        trainable = _saved(seen.state, evidence)
        if not rubric.names_matter:
            trainable = _trainable(trainable, evidence)
        free = {each.name: each.shape for each in initial if each.values is None}
        beginning = Beginning(initial)
        random_paths: tuple[tuple[str, ...], ...] = ()
        for state in _states(rubric, trainable, free):
            seeds = (evidence.seed, evidence.seed + 1)
            calls = [_first_calls(cls, rubric, state, seed, evidence.seed) for seed in seeds]
            random_paths = tuple(_random_paths(*calls))
            beginning = Beginning(initial, calls[0], random_paths)
            if not any(problems_of_first_calls(seen, beginning)):
                break
        if rubric.recipe.measures_noise and (any(random_paths) or seen.noise):
            noise = _noise(cls, rubric, state, evidence.seed)
            beginning = replace(beginning, noise=tuple(noise))
        if seen.other and rubric.recipe.other_arguments:
            beginning = _with_other(beginning, cls, rubric, seen, evidence.seed)
    return beginning


def _with_other(
    beginning: Beginning, cls: type[nn.Module], rubric: Rubric, seen: FirstCalls, seed: int
) -> Beginning:
    """Add what an instance gives that was built with the recipe's other arguments."""
    assert seen.other is not None
    arguments = rubric.recipe.other_arguments or {}
    other = replace(rubric, recipe=replace(rubric.recipe, arguments=arguments))
    names = {n: tuple(t.shape) for n, t in _seeded(cls, other, seed).named_parameters()}
    trainable = tuple(entry for entry in seen.other.state if entry.name in seen.other.trainable)
    for state in _states(rubric, trainable, names):
        # Of one seed both: what the learner's module lacks is not taken for random.
        outputs, again = (
            _first_of(_seeded(cls, other, seed), other, state, seed, each)
            for each in (seed, seed + 1)
        )
        (random,) = _random_paths((outputs,), (again,))
        beginning = replace(beginning, other=outputs, other_random=random)
        if not any(problems_of_other(seen, rubric, beginning)):
            break
    return beginning


def _first_of(
    module: nn.Module, rubric: Rubric, state: tuple[State, ...], inputs_seed: int, seed: int
) -> tuple[Output, ...]:
    return _run(module, state, recipe_inputs(rubric.recipe, inputs_seed), seed)


def _trainable(state: tuple[State, ...], evidence: Evidence) -> tuple[State, ...]:
    frozen = {fact.name for fact in evidence.tensors if not fact.requires_grad}
    return tuple(entry for entry in state if entry.name not in frozen)


def _noise(
    cls: type[nn.Module], rubric: Rubric, state: tuple[State, ...], seed: int
) -> Iterator[Noise]:
    for mode in ("eval", "train"):
        module = _seeded(cls, rubric, seed)
        set_state(module, state)
        module.train(mode == "train")
        # Not the seeds of the learner's calls: the two samples must be independent.
        inputs = recipe_inputs(rubric.recipe, seed)
        returned = many_calls(module, inputs, seed + 1_000_000)
        yield from noise_in(returned, mode, batch_size(inputs))


def _solution(path: Path, rubric: Rubric) -> type[nn.Module]:
    cls: type[nn.Module] = class_of(execute(read_source(path), path), rubric.class_name)
    return cls


def _seeded(cls: type[nn.Module], rubric: Rubric, seed: int) -> nn.Module:
    torch.default_generator.manual_seed(seed)
    return cls(**rubric.recipe.arguments)


@lru_cache
def _initial(path: Path, stem: str) -> tuple[Initial, ...]:
    """The solution's registered tensors, with their values where every seed gives the same."""
    rubric = load_rubric(stem)
    cls = _solution(path, rubric)
    built = [_seeded(cls, rubric, seed) for seed in range(BUILDS)]
    states = [sorted_state(module) for module in built]
    parameters = {name for name, _ in built[0].named_parameters()}
    saved = set(saved_state(built[0]))
    initial = []
    for name, tensor in states[0].items():
        alike = torch.stack([state[name].detach().to(torch.float64) for state in states])
        is_determined = bool((alike == alike[0]).all())
        initial.append(
            Initial(
                name=name,
                shape=tuple(tensor.shape),
                is_parameter=name in parameters,
                persistent=name in saved,
                values=Values.of(alike[0].flatten().tolist(), tuple(tensor.shape))
                if is_determined
                else None,
                mean=float(alike.mean()),
                scale=float(alike.square().mean().sqrt()),
            )
        )
    return tuple(initial)


def _first_calls(
    cls: type[nn.Module], rubric: Rubric, state: tuple[State, ...], seed: int, inputs_seed: int
) -> tuple[tuple[Output, ...], ...]:
    module = _seeded(cls, rubric, inputs_seed)
    set_state(module, state)
    inputs = recipe_inputs(rubric.recipe, inputs_seed)
    given = inputs_of_first_calls(inputs, later_inputs(rubric.recipe, inputs_seed))
    outputs = []
    for mode, inputs in zip(FIRST_MODES, given, strict=True):
        torch.default_generator.manual_seed(seed)
        given_back = outputs_of(module.train(mode == "train")(*inputs.args))
        if mode == "eval" or not rubric.differentiable:  # an answer may save the graph there
            given_back = tuple(replace(each, requires_grad=False) for each in given_back)
        outputs.append(given_back)
    return tuple(outputs)


def _random_paths(
    first: tuple[tuple[Output, ...], ...], other: tuple[tuple[Output, ...], ...]
) -> Iterator[tuple[str, ...]]:
    """For each call, the outputs that depend on the seed."""
    for some, others in zip(first, other, strict=True):
        pairs = zip(some, others, strict=True)
        yield tuple(mine.path for mine, theirs in pairs if mine.values != theirs.values)


def _saved(state: tuple[State, ...], evidence: Evidence) -> tuple[State, ...]:
    """Without the buffers that no checkpoint holds: the solution computes those by itself."""
    left_out = {fact.name for fact in evidence.tensors if not fact.persistent}
    return tuple(entry for entry in state if entry.name not in left_out)


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
    rubric: Rubric, state: tuple[State, ...], names: dict[str, tuple[int, ...]]
) -> Iterator[tuple[State, ...]]:
    """The state under the solution's names: as it is, or paired by shape where names are free."""
    if rubric.names_matter or set(names) <= {entry.name for entry in state}:
        yield tuple(entry for entry in state if entry.name in names)
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
