"""A new instance with the values that its constructor gave it, and its first calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.answer import later_inputs
from grader.probe.inspection.gradients import with_gradients
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import gpus_of
from grader.probe.inspection.values import (
    distribution_of,
    gathered_by,
    outputs_of,
    state_of,
)
from grader.probe.session import Session
from grader.probe.steps.noise import many_calls, noise_in
from grader.probe.steps.other_placements import other_instance
from grader.probe.steps.other_sizes import resized_on_cuda
from grader.schema import Evidence, FirstCalls, Noise, Recipe, Run, State, Values

BUILDS = 60  # instances with seeds of their own, whose initial values are pooled
FIRST_MODES = ("eval", "train", "train", "eval", "train")
WITH_GRADIENTS = (1, 2)  # of those calls: on zeros, the square root of a square has none


def first_calls(session: Session, evidence: Evidence) -> Evidence:
    """Call a new instance on the CPU as it is, without the values that `execution` gives it.

    1. Move it to the CPU, if a constructor used CUDA because it was available. What is there
       already is not moved: an override of `_apply` may make up for what the constructor lacks.
    2. Call it in each mode of `FIRST_MODES`, up to the first call that raises.
    3. It draws if PyTorch's generators moved, or if its two calls in eval mode differ: those show a
       generator that the module keeps itself.
    4. The last call is given zeros. What noise is multiplied with is then as if there were none.
    5. Where the recipe asks: how initial values and noise are distributed over many instances and
       calls; an instance with other arguments; a second call on CUDA, of another size.
    """
    module = session.new().module
    if gpus_of(module):
        _, raised = session.attempt(lambda: module.to("cpu"), module)
        if raised:
            return replace(evidence, first_calls=FirstCalls((), (Run("cpu", raised),)))
    state = state_of(module)
    runs, is_random = _called_in_turn(session, module)
    raised = runs[-1].raised
    measures = session.wants.measures_noise
    drawn = distribution_of(list(_states(session, state))) if measures else ()
    gathered = () if raised else gathered_by(module)
    is_measured = is_random and measures and not raised
    noise = tuple(_noise(session)) if is_measured else ()
    left = session.tensors_of(module)
    other = other_instance(session) if session.wants.other_arguments else None
    resized = (None, 0) if raised else resized_on_cuda(session)
    still = tuple(_still_on_cuda(session, noise))
    first = FirstCalls(state, runs, drawn, noise, still, left, other, *resized, gathered)
    return replace(evidence, first_calls=first)


def _called_in_turn(session: Session, module: nn.Module) -> tuple[tuple[Run, ...], bool]:
    """The calls of a new instance, up to the first that raises, and whether they draw."""
    runs, is_random = [], False
    later = later_inputs(session.wants, session.subject.seed)
    calls = inputs_of_first_calls(session.feed(), later, session.wants)
    for number, (mode, inputs) in enumerate(zip(FIRST_MODES, calls, strict=True)):
        session.attempt(partial(_set_mode, module, mode), module)
        returned, raised, draws, _ = session.call(module, inputs)
        is_random = is_random or draws
        outputs = () if raised else outputs_of(returned)
        if number in WITH_GRADIENTS and not raised:
            reach = partial(with_gradients, outputs, returned, module, inputs)
            outputs = session.attempt(reach, module)[0] or outputs
        runs.append(Run("cpu", raised, outputs))
        if raised:
            break
    # A generator of the module's own, wherever it is kept, shows in the two calls in eval mode.
    pairs = zip(FIRST_MODES, runs, strict=False)
    first, *_, last = 2 * [run.outputs for mode, run in pairs if mode == "eval"]
    return tuple(runs), is_random or first != last


def _states(session: Session, first: tuple[State, ...]) -> Iterator[tuple[State, ...]]:
    """The state of many new instances; of two, where another seed changes nothing."""
    yield first
    for i in range(1, BUILDS):
        state = state_of(session.new(session.subject.seed + i).module)
        yield state
        if state == first:
            return


def _noise(session: Session) -> Iterator[Noise]:
    for mode in ("eval", "train"):
        module = session.new().module
        inputs = session.feed().to("cpu")
        session.attempt(partial(_to_in_mode, module, "cpu", mode), module)
        draw_often = partial(many_calls, module, inputs, session.subject.seed)
        returned, _ = session.attempt(draw_often, module)
        yield from noise_in(returned or [], mode, next(inputs.batch_sizes, 0))


def _still_on_cuda(session: Session, noise: tuple[Noise, ...]) -> Iterator[tuple[str, str]]:
    """Outputs of first calls that depend on the seed on the CPU, and not on CUDA."""
    for mode in dict.fromkeys(found.mode for found in noise):
        one, other = (_first_call(session, mode, "cpu", more) for more in (0, 1))
        varied = {path for path, values in one.items() if values != other.get(path)}
        one, other = (_first_call(session, mode, "cuda", more) for more in (0, 1))
        still = (path for path in one.keys() & varied if one[path] == other.get(path))
        yield from ((mode, path) for path in sorted(still))


def _first_call(session: Session, mode: str, device: str, more: int) -> dict[str, Values | None]:
    """The outputs of a new instance on that device; `more` is added to the seed."""
    module = session.new().module
    session.attempt(partial(_to_in_mode, module, device, mode), module)
    seed = session.subject.seed + more
    shown = session.call(module, session.fed_to(device), seed, is_traced=False)
    return {output.path: output.values for output in outputs_of(shown.result)}


def _set_mode(module: nn.Module, mode: str) -> None:
    module.train(mode == "train")


def _to_in_mode(module: nn.Module, device: str, mode: str) -> None:
    module.to(device).train(mode == "train")


def inputs_of_first_calls(
    inputs: Inputs, later: Inputs | None, recipe: Recipe
) -> tuple[Inputs, ...]:
    """The inputs of each of the first calls.

    Each call in train mode gets other numbers, or a running mean would not show its weights. The
    inputs require a gradient, as behind another layer, and are no leaves, so that they can be
    changed in place; not where they come from a file.

    Args:
        inputs: those of every other call.
        later: inputs of another size for the second call in train mode, if the recipe has some.
        recipe: of the exercise.
    """
    other = inputs.each(lambda tensor: 1 - 2 * tensor if tensor.is_floating_point() else tensor)
    zeros = inputs.each(_without_numbers)
    calls = (call.to("cpu") for call in (inputs, inputs, later or other, inputs, zeros))
    return tuple(call if recipe.inputs_stay else call.each(_behind_a_layer) for call in calls)


def _without_numbers(tensor: torch.Tensor) -> torch.Tensor:
    """Zeros; of integers, the last row once and the first in place of all others."""
    if tensor.is_floating_point():
        return torch.zeros_like(tensor)
    return tensor[[0] * (len(tensor) - 1) + [-1]]


def _behind_a_layer(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.requires_grad_().clone() if tensor.is_floating_point() else tensor
