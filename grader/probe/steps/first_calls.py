"""A new instance with the values that its constructor gave it, and its first calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.answer import later_inputs
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.values import distribution_of, outputs_of, state_of
from grader.probe.session import Session
from grader.probe.steps.noise import batch_size, many_calls, noise_in
from grader.probe.steps.other_placements import other_instance
from grader.schema import Evidence, FirstCalls, Noise, Raised, Run, State

BUILDS = 60  # instances with seeds of their own, whose initial values are pooled
FIRST_MODES = ("eval", "train", "train", "eval")


def first_calls(session: Session, evidence: Evidence) -> Evidence:
    """Call a new instance on the CPU as it is, without the values that `execution` gives it.

    1. Move it to the CPU: a constructor may have used CUDA because it was available.
    2. Call it in each mode of `FIRST_MODES`, up to the first call that raises.
    3. It draws if PyTorch's generators moved, or if its two calls in eval mode differ: those show a
       generator that the module keeps itself.
    4. Where the recipe asks: how initial values and noise are distributed over many instances and
       calls; an instance with other arguments; a second call on CUDA, of another size.
    """
    module = session.new().module
    _, raised = session.attempt(lambda: module.to("cpu"), module)
    if raised:
        return replace(evidence, first_calls=FirstCalls((), (Run("cpu", raised),)))
    state, runs, is_random = state_of(module), [], False
    calls = inputs_of_first_calls(session.feed(), _later_inputs(session))
    for mode, inputs in zip(FIRST_MODES, calls, strict=True):
        session.attempt(partial(_set_mode, module, mode), module)
        returned, raised, draws, _ = session.call(module, inputs)
        is_random = is_random or draws
        runs.append(Run("cpu", raised, () if raised else outputs_of(returned)))
        if raised:
            break
    # A generator of the module's own, wherever it is kept, shows in the two calls in eval mode.
    is_random = is_random or runs[0].outputs != runs[-1].outputs
    measures = session.wants.measures_noise
    with session.untraced():
        drawn = distribution_of(list(_states(session, state))) if measures else ()
    is_measured = is_random and measures and not raised
    noise = tuple(_noise(session)) if is_measured else ()
    buffers = (entry for entry in registered_once(module) if entry.role == "buffer")
    attached = tuple(entry.name for entry in buffers if entry.tensor.requires_grad)
    other = other_instance(session) if session.wants.other_arguments else None
    resized = None if raised else _resized_on_cuda(session)
    first = FirstCalls(state, tuple(runs), drawn, noise, attached, other, resized)
    return replace(evidence, first_calls=first)


def _resized_on_cuda(session: Session) -> Raised | None:
    """What a second call on CUDA raises, with inputs of another size, where the recipe has some.

    What a module keeps from the first call it may have to build anew then: on CUDA as well.
    """
    later = _later_inputs(session)
    if later is None:
        return None
    module = session.new().module
    _, raised = session.attempt(lambda: module.cuda().eval(), module)
    resized = later.to("cpu" if session.wants.inputs_stay else "cuda")
    for inputs in (session.fed_to("cuda"), resized):
        if raised is None:
            raised = session.call(module, inputs).raised
    return raised


def _later_inputs(session: Session) -> Inputs | None:
    return later_inputs(session.wants, session.subject.seed)


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
        session.attempt(partial(_set_mode, module, mode), module)
        draw_often = partial(many_calls, module, inputs, session.subject.seed)
        returned, _ = session.attempt(draw_often, module)
        yield from noise_in(returned or [], mode, batch_size(inputs))


def _set_mode(module: nn.Module, mode: str) -> None:
    module.to("cpu").train(mode == "train")


def inputs_of_first_calls(inputs: Inputs, later: Inputs | None) -> tuple[Inputs, ...]:
    """The inputs of each of the first calls.

    Each call in train mode gets other numbers, or a running mean would not show its weights. The
    inputs require a gradient, as behind another layer, and are no leaves, so that they can be
    changed in place.

    Args:
        inputs: those of every other call.
        later: inputs of another size for the second call in train mode, if the recipe has some.
    """
    other = inputs.each(lambda tensor: 1 - 2 * tensor if tensor.is_floating_point() else tensor)
    calls = (inputs, inputs, later or other, inputs)
    return tuple(call.to("cpu").each(_behind_a_layer) for call in calls)


def _behind_a_layer(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.requires_grad_().clone() if tensor.is_floating_point() else tensor
