"""The expected outputs: runs the solution on the learner's inputs and state.

This runs in the judging process, on plain data from evidence, and never runs the learner's code.

Where an exercise leaves names free, nobody knows which of the learner's tensors is which of the
solution's. So pairings are tried:

1. Group the solution's tensors by shape. The candidates for a group are the learner's tensors of
   that shape, in natural order of their names, then transposed matrices of the reversed shape: an
   `nn.Linear` holds its weight the other way round than `x @ w`.
2. Enumerate all assignments within each group, and their product over the groups, up to
   `MOST_PAIRINGS`. The first ones follow the order of names, which usually is the right one.
3. Run the solution with each. Stop at the first that gives the learner's outputs; if none does, the
   expected outputs are those of the pairing with the fewest differences.

A module passes only if it computes, under some naming, what the solution computes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice, permutations, product
from pathlib import Path

import torch
from msgspec import structs
from torch import nn

from grader.course import load_rubric, solution_of
from grader.judge import (
    Initial,
    InitialState,
    differences,
    problems_of_first_calls,
    problems_of_other,
)
from grader.loading import class_of, execute, read_source
from grader.probe import (
    BUILDS,
    FIRST_MODES,
    WITH_GRADIENTS,
    Inputs,
    constructor,
    gathered_by,
    inputs_of_first_calls,
    later_inputs,
    many_calls,
    noise_in,
    outputs_of,
    recipe_inputs,
    saved_state,
    set_state,
    sorted_state,
    with_gradients,
)
from grader.schema import Evidence, FirstCalls, Noise, Output, Rubric, State, Values

MOST_PAIRINGS = 720


def expected_outputs(rubric: Rubric, evidence: Evidence) -> tuple[Output, ...]:
    """The solution's outputs, on the CPU, for the inputs and state recorded in `evidence`.

    Args:
        rubric: of the exercise.
        evidence: of the learner's module: seed of the inputs, state, outputs.

    Raises:
        LoadingError: there is no solution.
    """
    cls = _solution(solution_of(rubric), rubric)
    inputs = recipe_inputs(rubric.recipe, evidence.seed)
    learners = next((run.outputs for run in evidence.runs if not run.raised), ())
    tried: list[tuple[int, tuple[Output, ...]]] = []
    learners_names = {fact.path.removeprefix("self.") for fact in evidence.tensors}

    def fresh_solution() -> nn.Module:
        module: nn.Module = cls(**rubric.recipe.arguments)
        _randomise_missing(
            module,
            learners_names if rubric.names_matter else set(sorted_state(module)),
            evidence.seed,
        )
        return module

    with torch.random.fork_rng(devices=[]):  # a notebook goes on with its own random numbers
        saved = _saved(evidence.state, evidence)
        solutions_state = saved_state(fresh_solution())
        if not rubric.names_matter:
            # Tensors that are not trained keep the values of their constructors.
            saved = _trainable(saved, evidence)
            solutions_state = {
                name: tensor for name, tensor in solutions_state.items() if tensor.requires_grad
            }
        shapes = {name: tuple(tensor.shape) for name, tensor in solutions_state.items()}
        for state in _states(rubric, saved, shapes):
            outputs = _run(fresh_solution(), state, inputs, evidence.seed)
            tried.append((len(list(differences(learners, outputs))), outputs))
            if not tried[-1][0]:
                break
    # Step 3: if no pairing explains all outputs, take the one that explains most of them.
    return min(tried, key=lambda pair: pair[0])[1] if tried else ()


def expected_initial_state(rubric: Rubric, evidence: Evidence) -> InitialState:
    """The tensors and outputs of a new instance of the solution.

    1. Construct the solution with `BUILDS` seeds. A tensor that is equal in all instances is
       determined by the arguments, and the learner's must be equal to it.
    2. The others are random. In the solution they get the values of the learner's new instance.
    3. Both instances are called in the same way, and should give the same outputs. Outputs in which
       two seeds differ are compared by distribution.

    Raises:
        LoadingError: there is no solution.
    """
    path = solution_of(rubric)
    cls = _solution(path, rubric)
    first_calls = evidence.first_calls or FirstCalls()
    with torch.random.fork_rng(devices=[]):
        initial = _initial(path, rubric.stem, rubric.home)
        trainable = _saved(first_calls.state, evidence)
        if not rubric.names_matter:
            trainable = _trainable(trainable, evidence)
        free = {tensor.name: tensor.shape for tensor in initial if tensor.values is None}
        initial_state = InitialState(initial)
        random_paths: tuple[tuple[str, ...], ...] = ()
        for state in _states(rubric, trainable, free):
            seeds = (evidence.seed, evidence.seed + 1)
            calls = [_first_calls(cls, rubric, state, seed, evidence.seed) for seed in seeds]
            random_paths = tuple(_random_paths(*calls))
            initial_state = InitialState(initial, calls[0], random_paths)
            if not any(problems_of_first_calls(first_calls, initial_state)):
                break
        if rubric.recipe.measures_noise and (any(random_paths) or first_calls.noise):
            noise = _noise(cls, rubric, state, evidence.seed)
            initial_state = replace(initial_state, noise=tuple(noise))
        if first_calls.other and rubric.recipe.other_arguments:
            initial_state = _with_other(initial_state, cls, rubric, first_calls, evidence.seed)
    return initial_state


def _with_other(
    initial_state: InitialState,
    cls: Callable[..., nn.Module],
    rubric: Rubric,
    first_calls: FirstCalls,
    seed: int,
) -> InitialState:
    """Add the outputs of an instance constructed with the recipe's other arguments.

    A learner may name Parameters otherwise than the solution, so which is which is guessed from
    shapes: each pairing is tried until one leaves no problem, or all are; the judge compares with
    the last one tried.
    """
    built = first_calls.other
    assert built is not None
    arguments = rubric.recipe.arguments | (rubric.recipe.other_arguments or {})
    other = replace(rubric, recipe=replace(rubric.recipe, arguments=arguments))
    names = {n: tuple(t.shape) for n, t in _seeded(cls, other, seed).named_parameters()}
    trainable = tuple(entry for entry in built.state if entry.name in built.trainable)
    shapes = names if rubric.names_matter else {}
    initial_state = replace(initial_state, other_shapes=shapes)
    random: tuple[str, ...] | None = None
    for state in _states(rubric, trainable, names):
        outputs = _first_of(_seeded(cls, other, seed), other, state, seed, seed)
        if random is None:  # by the solution's code, whichever pairing it is
            # One seed for both constructors: values that the learner's state lacks stay equal, so
            # that their outputs do not count as random.
            again = _first_of(_seeded(cls, other, seed), other, state, seed, seed + 1)
            (random,) = _random_paths((outputs,), (again,))
        initial_state = replace(initial_state, other=outputs, other_random=random)
        if not any(problems_of_other(first_calls, rubric, initial_state)):
            break
    return initial_state


def _first_of(
    module: nn.Module, rubric: Rubric, state: tuple[State, ...], inputs_seed: int, seed: int
) -> tuple[Output, ...]:
    inputs = recipe_inputs(rubric.recipe, inputs_seed)
    _run(module, state, later_inputs(rubric.recipe, inputs_seed) or inputs, seed, is_training=True)
    return _run(module, state, inputs, seed)


def _trainable(state: tuple[State, ...], evidence: Evidence) -> tuple[State, ...]:
    frozen = {fact.name for fact in evidence.tensors if not fact.requires_grad}
    return tuple(entry for entry in state if entry.name not in frozen)


def _noise(
    cls: Callable[..., nn.Module], rubric: Rubric, state: tuple[State, ...], seed: int
) -> Iterator[Noise]:
    for mode in ("eval", "train"):
        module = _seeded(cls, rubric, seed)
        set_state(module, state)
        module.train(mode == "train")
        # Not the seeds of the learner's calls: the two samples must be independent.
        inputs = recipe_inputs(rubric.recipe, seed)
        returned = many_calls(module, inputs, seed + 1_000_000)
        yield from noise_in(returned, mode, next(inputs.batch_sizes, 0))


def _solution(path: Path, rubric: Rubric) -> Callable[..., nn.Module]:
    cls = class_of(execute(read_source(path), path), rubric.class_name)
    made: Callable[..., nn.Module] = constructor(cls, rubric.recipe)
    return made


def _seeded(cls: Callable[..., nn.Module], rubric: Rubric, seed: int) -> nn.Module:
    torch.default_generator.manual_seed(seed)
    return cls(**rubric.recipe.arguments)


@lru_cache
def _initial(path: Path, stem: str, home: str) -> tuple[Initial, ...]:
    """The solution's registered tensors, with their values where every seed gives the same."""
    rubric = load_rubric(stem, home)
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
                of_library=_is_of_library(built[0], name),
            )
        )
    return tuple(initial)


def _is_of_library(module: nn.Module, name: str) -> bool:
    owner = module.get_submodule(name.rpartition(".")[0])
    return type(owner).__module__.startswith("torch.")


def _first_calls(
    cls: Callable[..., nn.Module],
    rubric: Rubric,
    state: tuple[State, ...],
    seed: int,
    inputs_seed: int,
) -> tuple[tuple[Output, ...], ...]:
    module = _seeded(cls, rubric, inputs_seed)
    set_state(module, state)
    inputs = recipe_inputs(rubric.recipe, inputs_seed)
    later = later_inputs(rubric.recipe, inputs_seed)
    inputs_of_calls = inputs_of_first_calls(inputs, later, rubric.recipe)
    outputs = []
    for number, (mode, inputs) in enumerate(zip(FIRST_MODES, inputs_of_calls, strict=True)):
        torch.default_generator.manual_seed(seed)
        returned = module.train(mode == "train")(*inputs.args)
        given = outputs_of(returned)
        if mode == "eval" or not rubric.differentiable:  # an answer may save the graph there
            given = tuple(structs.replace(output, requires_grad=False) for output in given)
        elif number in WITH_GRADIENTS:
            given = with_gradients(given, returned, module, inputs, rubric.names_matter)
        outputs.append(given)
    return (*outputs, gathered_by(module))


def _random_paths(
    first: tuple[tuple[Output, ...], ...], other: tuple[tuple[Output, ...], ...]
) -> Iterator[tuple[str, ...]]:
    """For each call, the outputs that depend on the seed."""
    for some, others in zip(first, other, strict=True):
        pairs = zip(some, others, strict=True)
        yield tuple(
            output.path for output, other_output in pairs if output.values != other_output.values
        )


def _saved(state: tuple[State, ...], evidence: Evidence) -> tuple[State, ...]:
    """Without the buffers that no checkpoint holds: the solution computes those by itself."""
    left_out = {fact.name for fact in evidence.tensors if not fact.persistent}
    return tuple(entry for entry in state if entry.name not in left_out)


def _randomise_missing(module: nn.Module, learners_names: set[str], seed: int) -> None:
    """Set tensors that the learner's module lacks to random values in [0.5, 1.5).

    With initial ones and zeros, a `forward` that leaves them out would be right by accident.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in saved_state(module).items():
            if name not in learners_names and tensor.is_floating_point():
                tensor.copy_(torch.rand(tensor.shape, generator=generator) + 0.5)


def _run(
    module: nn.Module,
    state: tuple[State, ...],
    inputs: Inputs,
    seed: int,
    is_training: bool = False,
) -> tuple[Output, ...]:
    set_state(module, state)
    module.train(is_training)
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
        candidates = sorted((e for e in state if e.values.shape == shape), key=_natural_order)
        candidates += [
            _transposed(e) for e in state if len(shape) == 2 and e.values.shape == shape[::-1]
        ]
        solutions_names = [name for name in names if names[name] == shape]
        groups.append(list(_matches(solutions_names, candidates)))
    for choice in product(*groups):
        yield tuple(State(name, entry.values) for group in choice for name, entry in group)


def _matches(
    solutions_names: list[str], candidates: list[State]
) -> Iterator[list[tuple[str, State]]]:
    """Every assignment of candidates to names; a name without one keeps the solution's value."""
    if len(candidates) < len(solutions_names):
        for names in permutations(solutions_names, len(candidates)):
            yield list(zip(names, candidates, strict=True))
    else:
        for entries in permutations(candidates, len(solutions_names)):
            yield list(zip(solutions_names, entries, strict=True))


def _transposed(entry: State) -> State:
    """A matrix, transposed: an `nn.Linear` holds its weight the other way round."""
    rows, columns = entry.values.shape
    numbers = entry.values.numbers()
    turned = (numbers[i * columns + j] for j in range(columns) for i in range(rows))
    return State(entry.name, Values.of(turned, (columns, rows)))


def _natural_order(entry: State) -> list[object]:
    """`layer2` before `layer10`."""
    parts = re.split(r"(\d+)", entry.name)
    return [int(part) if part.isdigit() else part for part in parts]
