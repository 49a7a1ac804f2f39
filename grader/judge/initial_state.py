"""Whether a new instance starts with the right values, and gives the right outputs from them.

The other checks overwrite the state with the solution's, so they cannot see what the constructor
made. Here the learner's instance is compared with the solution's as constructed:

1. Registered tensors that do not depend on the seed must have the solution's values; those that do
   must be random, and over many seeds have about the solution's scale and mean.
2. The first calls, with the same random values in both, must give the same outputs.
3. An instance built with other constructor arguments must give the outputs of the solution's.
4. Outputs that depend on the seed must have the solution's distribution (`distribution`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

from grader.judge.distribution import wrong_noise
from grader.judge.lookups import is_result
from grader.judge.outputs import differences
from grader.judge.wording import apart, explained, join_names
from grader.schema import (
    CheckName,
    Drawn,
    Evidence,
    FirstCalls,
    Noise,
    Output,
    Rubric,
    Run,
    State,
    TensorFact,
    Values,
    is_close,
)

CALLS = (
    "in eval mode",
    "in train mode",
    "in train mode a second time",
    "in eval mode after two calls in train mode",
    "in train mode on zeros",
)
# Two means of honest draws are 6.5 standard errors apart once in 1e10 times: computed by
# benchmarks/studies/odds.py at commit 8525173b. Usual initialisations differ in scale by five.
FEWEST_DRAWN, FACTOR, SHIFT, STANDARD_ERRORS = 200, 6, 0.3, 6.5
FEWEST_COMPARED = 8  # fewer numbers may be equal by chance


@dataclass(frozen=True)
class Initial:
    """A registered tensor of the solution, as constructed.

    Attributes:
        values: None if they depend on the seed.
        mean: of its values, over many seeds. scale: the root of their mean square.
        of_library: whether it is in a module of PyTorch's, such as `nn.Linear`.
    """

    name: str
    shape: tuple[int, ...]
    is_parameter: bool
    persistent: bool
    values: Values | None
    mean: float
    scale: float
    of_library: bool = False


@dataclass(frozen=True)
class InitialState:
    """A new instance of the solution.

    Attributes:
        tensors: what its constructor made.
        outputs: what each of the first calls gives, from the learner's random values; then what is
            saved and not trained after them.
        random: for each call, the paths of the outputs that depend on the seed.
        noise: how those are distributed.
        other: what an instance gives that was built with the recipe's other arguments.
        other_random: the paths of those outputs that depend on the seed.
        other_shapes: of that instance's Parameters, by name; empty where names are free.
    """

    tensors: tuple[Initial, ...] = ()
    outputs: tuple[tuple[Output, ...], ...] = ()
    random: tuple[tuple[str, ...], ...] = ()
    noise: tuple[Noise, ...] = ()
    other: tuple[Output, ...] = ()
    other_random: tuple[str, ...] = ()
    other_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def problems_of_initial_state(
    evidence: Evidence, rubric: Rubric, initial_state: InitialState
) -> Iterator[tuple[CheckName, str]]:
    """Pairs of the check that fails and the message.

    1. Registered tensors begin with other values. By their names where names matter, under the
       check of the tensor's role; else Parameters by their shapes, under `forward`.
    2. The first calls give other outputs.
    3. An instance that was built with other arguments gives other outputs.
    4. Random outputs have another distribution.
    5. A second call on CUDA, with inputs of another size, raised.
    6. A call in train mode left a tensor attached to the graph: each batch then holds on to all
       earlier ones.

    Args:
        evidence: what the probe recorded of the learner's module.
        rubric: of the exercise.
        initial_state: the same facts of the solution. An empty one yields nothing.
    """
    first_calls = evidence.first_calls
    if first_calls is None or not (initial_state.tensors or initial_state.outputs):
        return
    own, _ = _by_owner(initial_state, rubric)
    yield from _wrong_tensors(evidence, first_calls, rubric, own)
    yield from (
        ("forward", problem) for problem in problems_of_first_calls(first_calls, initial_state)
    )
    for problem in _wrongly_gathered(first_calls, initial_state):
        yield "buffers" if "buffers" in rubric.points else "forward", problem
    yield from (
        ("forward", problem) for problem in problems_of_other(first_calls, rubric, initial_state)
    )
    noise = wrong_noise(first_calls.noise, initial_state.noise)
    yield from (("forward", problem) for problem in noise)
    for mode, path in first_calls.still:
        yield "forward", f"on CUDA, in {mode} mode, {path} is the same in two calls: draw there too"
    if first_calls.resized:
        size = f", {first_calls.resized_to:,}" if first_calls.resized_to else ""
        yield (
            "forward",
            f"on CUDA, called again with inputs of another size{size}, `forward` raised "
            f"{explained(first_calls.resized)}",
        )
    attached = [f.name for f in first_calls.left if f.role == "buffer" and is_result(f)]
    if attached:
        names = join_names(attached)
        yield (
            "forward",
            f"after a call in train mode, autograd tracks {names}, "
            "and with it every earlier batch: update a buffer from detached numbers",
        )


def problems_of_library_weights(
    evidence: Evidence, rubric: Rubric, initial_state: InitialState
) -> Iterator[tuple[CheckName, str]]:
    """The same for weights that PyTorch's modules draw: `self.apply(init_weights)` draws others.

    That is a habit of many, and no exercise is about it. So each such pair costs one point.
    """
    if evidence.first_calls is not None:
        _, of_library = _by_owner(initial_state, rubric)
        yield from _wrong_tensors(evidence, evidence.first_calls, rubric, of_library)


def _by_owner(initial_state: InitialState, rubric: Rubric) -> tuple[InitialState, InitialState]:
    """The solution's tensors apart: all others, and the Parameters of PyTorch's modules.

    Where names are free, a shape that both have is with the others.
    """
    own_shapes = {
        initial.shape
        for initial in initial_state.tensors
        if initial.is_parameter and not initial.of_library
    }
    of_library = tuple(
        initial
        for initial in initial_state.tensors
        if initial.is_parameter and initial.of_library
        if rubric.names_matter or initial.shape not in own_shapes
    )
    others = tuple(initial for initial in initial_state.tensors if initial not in of_library)
    return replace(initial_state, tensors=others), InitialState(of_library)


def _wrong_tensors(
    evidence: Evidence, first_calls: FirstCalls, rubric: Rubric, initial_state: InitialState
) -> Iterator[tuple[CheckName, str]]:
    """Step 1 of `problems_of_initial_state`."""
    state = {entry.name: entry for entry in first_calls.state}
    facts = {fact.name: fact for fact in evidence.tensors if fact.name}
    if not rubric.names_matter:
        for problem in _wrong_where_free(first_calls, facts, initial_state):
            yield "forward", problem
        return
    for initial in initial_state.tensors:
        if initial.persistent and initial.name in state and initial.name in facts:
            for problem in _wrong_values(initial, state[initial.name], first_calls):
                yield _check_of(initial, rubric), problem


def problems_of_first_calls(first_calls: FirstCalls, initial_state: InitialState) -> Iterator[str]:
    """Where a new instance gives something else than the solution with the same random values."""
    calls = zip(CALLS, first_calls.runs, initial_state.outputs, initial_state.random, strict=False)
    for how, run, expected, random in calls:
        if run.raised:
            yield f"a new instance, called {how}, raised {explained(run.raised)}"
            return
        for problem in differences(run.outputs, expected, random):
            yield (
                f"a new instance, called {how} with the values that `__init__` gave it: {problem}"
            )
            return


def _wrongly_gathered(first_calls: FirstCalls, initial_state: InitialState) -> Iterator[str]:
    """Where a new instance saves something else after its first calls than the solution."""
    expected = {o.path: o for saved in initial_state.outputs[len(CALLS) :] for o in saved}
    for output in first_calls.gathered:
        if output.path in expected and output.path not in initial_state.random[-1]:
            for problem in differences((output,), (expected[output.path],)):
                yield f"after three calls in train mode, {problem}"


def problems_of_other(
    first_calls: FirstCalls, rubric: Rubric, initial_state: InitialState
) -> Iterator[str]:
    """What is wrong with an instance that was built with other arguments."""
    other, arguments = first_calls.other, rubric.recipe.other_arguments
    if other is None or arguments is None:
        return
    changed = {k: v for k, v in arguments.items() if rubric.recipe.arguments.get(k) != v}
    it = f"an instance with `{', '.join(f'{name}={value!r}' for name, value in changed.items())}`"
    for entry in other.state:  # values of zero may hide a wrong shape from the outputs
        shape = initial_state.other_shapes.get(entry.name, entry.values.shape)
        if entry.values.shape != shape:
            yield f"{it} has `{entry.name}` of shape {entry.values.shape}; expected: {shape}"
    for run in filter(None, (other.run, other.on_gpu)):
        yield from islice(_wrong_other(run, it, initial_state), 1)


def _wrong_other(run: Run, it: str, initial_state: InitialState) -> Iterator[str]:
    where = "the CPU" if run.device == "cpu" else run.device
    if run.raised:
        yield f"{it}, on {where}, raised {explained(run.raised)}"
        return
    for output in run.outputs:
        if output.device not in ("", run.device):
            yield f"{it}, on {where}, gave {output.path} on {output.device}"
    for problem in differences(run.outputs, initial_state.other, initial_state.other_random):
        asks = ". Does `__init__` use its arguments?" if run.device == "cpu" else ""
        yield f"{it}, on {where}: {problem}{asks}"


def _check_of(initial: Initial, rubric: Rubric) -> CheckName:
    name: CheckName = "parameters" if initial.is_parameter else "buffers"
    return name if name in rubric.points else "forward"


def _wrong_values(expected: Initial, entry: State, first_calls: FirstCalls) -> Iterator[str]:
    numbers = entry.values.numbers()
    if len(numbers) != math.prod(expected.shape):
        return  # another shape is judged by what `forward` makes of it
    if expected.values is None:
        yield from _wrong_draws([entry], [expected], first_calls)
        return
    pairs = list(zip(numbers, expected.values.numbers(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_close(a, b)]
    if wrong:
        first, right = apart(*wrong[0])
        yield (
            f"`__init__` gives `{expected.name}` other values: {len(wrong)} of {len(pairs)} differ "
            f"(the first is {first}; expected: {right})"
        )


def _wrong_where_free(
    first_calls: FirstCalls, facts: dict[str, TensorFact], initial_state: InitialState
) -> Iterator[str]:
    """Where the exercise leaves names free: compare Parameters by shape.

    For each shape of the solution's Parameters:

    1. If one of them does not depend on the seed, or the learner has more or fewer of that shape,
       nothing is compared: nobody knows which corresponds to which.
    2. All of the learner's must be random, with about the solution's scale and mean.
    3. No two of them may hold the same numbers: they were drawn once and copied. Of fewer than
       `FEWEST_COMPARED` numbers that may be chance.
    """
    parameters = [
        entry
        for entry in first_calls.state
        if entry.name in facts and facts[entry.name].role == "parameter"
    ]
    for shape in dict.fromkeys(
        initial.shape for initial in initial_state.tensors if initial.is_parameter
    ):
        expected = [
            initial
            for initial in initial_state.tensors
            if initial.is_parameter and initial.shape == shape
        ]
        actual = [entry for entry in parameters if entry.values.shape == shape]
        if any(initial.values for initial in expected) or len(expected) != len(actual):
            continue
        yield from _wrong_draws(actual, expected, first_calls)
        for one, other in combinations(actual, 2):
            if len(one.values.numbers()) >= FEWEST_COMPARED and one.values == other.values:
                yield f"`{one.name}` and `{other.name}` begin with the same numbers: draw each"


def _wrong_draws(
    actual: list[State], expected: list[Initial], first_calls: FirstCalls
) -> Iterator[str]:
    """Whether tensors are random, and over many seeds have about the solution's scale and mean.

    Several tensors of one shape are compared with the average over the solution's: where names are
    free, nobody knows which corresponds to which.
    """
    drawn = {sample.name: sample for sample in first_calls.drawn}
    scale = math.sqrt(sum(initial.scale**2 for initial in expected) / len(expected))
    mean = sum(initial.mean for initial in expected) / len(expected)
    for entry in actual:
        numbers, over_seeds = entry.values.numbers(), drawn.get(entry.name)
        if len(numbers) >= FEWEST_COMPARED and len(set(numbers)) == 1:
            begins = f"begins with {numbers[0]:.4g} everywhere"
            yield f"`{entry.name}` {begins}; expected: random numbers"
        elif over_seeds is None or over_seeds.count < FEWEST_DRAWN:
            continue
        else:
            yield from _wrong_distribution(entry.name, over_seeds, mean, scale)


def _wrong_distribution(name: str, drawn: Drawn, mean: float, scale: float) -> Iterator[str]:
    actual_mean, size = drawn.moments.numbers()
    if not scale / FACTOR <= size <= scale * FACTOR:
        about = "about {}; expected: about {}".format(*apart(size, scale, 2))
        yield f"the random numbers that `{name}` begins with are of another size: {about}"
        return
    # Mean squares for variances: the error of a mean is at most that.
    error = math.hypot(scale, size) / math.sqrt(drawn.count)
    if abs(actual_mean - mean) > max(SHIFT * max(scale, size), STANDARD_ERRORS * error):
        on_average = "{} on average; expected: {}".format(*apart(actual_mean, mean, 2))
        yield f"the random numbers that `{name}` begins with are {on_average}"
