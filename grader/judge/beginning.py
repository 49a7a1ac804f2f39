"""What the constructor made: the values of a new instance, and what they make `forward` give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from grader.evidence import Drawn, Evidence, FirstCalls, Noise, Output, State, TensorFact, Values
from grader.judge.distribution import wrong_noise
from grader.judge.outputs import differences, is_close
from grader.judge.wording import listed, told
from grader.rubrics import CheckName, Rubric

CALLS = (
    "in eval mode",
    "in train mode",
    "in train mode a second time",
    "in eval mode after two calls in train mode",
)
# Two means of honest draws are 6.5 standard errors apart once in 1e10 times, as benchmarks/odds.py
# computes. Usual initialisations differ in scale by a factor of five.
FEWEST_DRAWN, FACTOR, SHIFT, STANDARD_ERRORS = 200, 6, 0.3, 6.5
FEWEST_COMPARED = 8


@dataclass(frozen=True)
class Initial:
    """A registered tensor of the solution, as constructed.

    Attributes:
        values: None if they depend on the seed.
        mean: of its values, over many seeds. scale: the root of their mean square.
    """

    name: str
    shape: tuple[int, ...]
    is_parameter: bool
    persistent: bool
    values: Values | None
    mean: float
    scale: float


@dataclass(frozen=True)
class Beginning:
    """A new instance of the solution.

    Attributes:
        tensors: what its constructor made.
        outputs: what each of the first calls gives, from the learner's random values.
        random: for each call, the paths of the outputs that depend on the seed.
        noise: how those are distributed.
        other: what an instance gives that was built with the recipe's other arguments.
        other_random: the paths of those outputs that depend on the seed.
    """

    tensors: tuple[Initial, ...] = ()
    outputs: tuple[tuple[Output, ...], ...] = ()
    random: tuple[tuple[str, ...], ...] = ()
    noise: tuple[Noise, ...] = ()
    other: tuple[Output, ...] = ()
    other_random: tuple[str, ...] = ()


def problems_of_beginning(
    evidence: Evidence, rubric: Rubric, beginning: Beginning
) -> Iterator[tuple[CheckName, str]]:
    """What is wrong with a new instance, each with the check that it fails."""
    seen = evidence.first_calls
    if seen is None or not (beginning.tensors or beginning.outputs):
        return
    state = {entry.name: entry for entry in seen.state}
    facts = {fact.name: fact for fact in evidence.tensors if fact.name}
    if rubric.names_matter:
        for each in beginning.tensors:
            if each.persistent and each.name in state and each.name in facts:
                problems = _wrong_values(each, state[each.name], seen)
                yield from ((_check_of(each, rubric), problem) for problem in problems)
    else:
        yield from (("forward", problem) for problem in _wrong_where_free(seen, facts, beginning))
    yield from (("forward", problem) for problem in problems_of_first_calls(seen, beginning))
    yield from (("forward", problem) for problem in problems_of_other(seen, rubric, beginning))
    yield from (("forward", problem) for problem in wrong_noise(seen.noise, beginning.noise))
    if seen.resized:
        yield (
            "forward",
            "on CUDA, called a second time with inputs of another size, `forward` raised "
            f"{told(seen.resized)}",
        )
    if seen.attached:
        yield (
            "forward",
            f"after a call in train mode, autograd tracks {listed(list(seen.attached))}, and with "
            "it every earlier batch: update a buffer from detached numbers",
        )


def problems_of_first_calls(seen: FirstCalls, beginning: Beginning) -> Iterator[str]:
    """Where a new instance gives something else than the solution with the same random values."""
    calls = zip(CALLS, seen.runs, beginning.outputs, beginning.random, strict=False)
    for how, run, expected, random in calls:
        if run.raised:
            yield f"a new instance, called {how}, raised {told(run.raised)}"
            return
        for problem in differences(run.outputs, expected, random):
            yield (
                f"a new instance, called {how} with the values that `__init__` gave it: {problem}"
            )
            return


def problems_of_other(seen: FirstCalls, rubric: Rubric, beginning: Beginning) -> Iterator[str]:
    """What is wrong with an instance that was built with other arguments."""
    arguments = rubric.recipe.other_arguments
    if seen.other is None or arguments is None:
        return
    changed = {k: v for k, v in arguments.items() if rubric.recipe.arguments.get(k) != v}
    how = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    run = seen.other.run
    if run.raised:
        yield f"an instance with `{how}` raised {told(run.raised)}"
        return
    for output in run.outputs:
        if output.device not in ("", "cpu"):
            yield f"an instance with `{how}`, on the CPU, gave {output.path} on {output.device}"
            return
    for problem in differences(run.outputs, beginning.other, beginning.other_random):
        yield f"an instance with `{how}`: {problem}. Does `__init__` use its arguments?"
        return


def _check_of(initial: Initial, rubric: Rubric) -> CheckName:
    name: CheckName = "parameters" if initial.is_parameter else "buffers"
    return name if name in rubric.points else "forward"


def _wrong_values(wanted: Initial, entry: State, seen: FirstCalls) -> Iterator[str]:
    numbers = entry.values.numbers()
    if len(numbers) != math.prod(wanted.shape):
        return  # another shape is judged by what `forward` makes of it
    if wanted.values is None:
        yield from _wrong_draws([entry], [wanted], seen)
        return
    pairs = list(zip(numbers, wanted.values.numbers(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_close(a, b)]
    if wrong:
        a, b = wrong[0]
        yield (
            f"`__init__` gives `{wanted.name}` other values: {len(wrong)} of {len(pairs)} differ "
            f"(the first is {a:.4g}; wanted: {b:.4g})"
        )


def _wrong_where_free(
    seen: FirstCalls, facts: dict[str, TensorFact], beginning: Beginning
) -> Iterator[str]:
    """Where names are free: Parameters of one shape together."""
    mine = [e for e in seen.state if e.name in facts and facts[e.name].role == "parameter"]
    for shape in dict.fromkeys(each.shape for each in beginning.tensors if each.is_parameter):
        ours = [each for each in beginning.tensors if each.is_parameter and each.shape == shape]
        theirs = [each for each in mine if each.values.shape == shape]
        if any(each.values for each in ours) or len(ours) != len(theirs):
            continue
        yield from _wrong_draws(theirs, ours, seen)
        for one, other in combinations(theirs, 2):
            if len(one.values.numbers()) >= FEWEST_COMPARED and one.values == other.values:
                yield f"`{one.name}` and `{other.name}` begin with the same numbers: draw each"


def _wrong_draws(mine: list[State], ours: list[Initial], seen: FirstCalls) -> Iterator[str]:
    """Whether each is random, and over many seeds about as large as the solution's."""
    drawn = {each.name: each for each in seen.drawn}
    scale = math.sqrt(sum(each.scale**2 for each in ours) / len(ours))
    mean = sum(each.mean for each in ours) / len(ours)
    for each in mine:
        numbers, over_seeds = each.values.numbers(), drawn.get(each.name)
        if len(numbers) >= FEWEST_COMPARED and len(set(numbers)) == 1:
            yield f"`{each.name}` begins with {numbers[0]:.4g} everywhere; wanted: random numbers"
        elif over_seeds is None or over_seeds.count < FEWEST_DRAWN:
            continue
        else:
            yield from _wrong_distribution(each.name, over_seeds, mean, scale)


def _wrong_distribution(name: str, drawn: Drawn, mean: float, scale: float) -> Iterator[str]:
    mine, size = drawn.moments.numbers()
    if not scale / FACTOR <= size <= scale * FACTOR:
        yield (
            f"the random numbers that `{name}` begins with are of another size: about "
            f"{size:.2g}; wanted: about {scale:.2g}"
        )
        return
    # Mean squares for variances: the error of a mean is at most that.
    error = math.hypot(scale, size) / math.sqrt(drawn.count)
    if abs(mine - mean) > max(SHIFT * max(scale, size), STANDARD_ERRORS * error):
        yield (
            f"the random numbers that `{name}` begins with are {mine:.2g} on "
            f"average; wanted: {mean:.2g}"
        )
