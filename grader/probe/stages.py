"""What an exercise's probe does with a module: construct, move, call, train and reload it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import nn

from grader.evidence import (
    Checkpoint,
    FirstCalls,
    Movement,
    Noise,
    Output,
    Raised,
    Run,
    State,
    Structure,
    Training,
)
from grader.probe.elsewhere import elsewhere, without_gpu
from grader.probe.inputs import Inputs
from grader.probe.noise import batch_size, many_calls, noise_in
from grader.probe.otherwise import by_default, other_instance
from grader.probe.plain import dict_of, size_of
from grader.probe.source import POSITIONAL, is_torch
from grader.probe.structure import structure_of, tensors_of
from grader.probe.subject import Instance, Subject
from grader.probe.training import step, trained
from grader.probe.values import draw, drawn_by, fill_state, outputs_of, sorted_state, state_of
from grader.probe.walk import registered_modules, registered_once
from grader.recipe import Recipe

EMPTY = inspect.Parameter.empty
Facts = dict[str, Any]
Stage = Callable[[Subject], Facts]
BUILDS = 60
PART = "part"
SAVING = ("state_dict", "load_state_dict", "_save_to_state_dict", "_load_from_state_dict")
SAVING_HOOKS = (
    "_state_dict_hooks", "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
FIRST_MODES = ("eval", "train", "train", "eval")
MOVES: dict[str, Callable[[nn.Module], object]] = {
    ".cuda()": lambda module: module.cuda(),
    '.to("cuda")': lambda module: module.to("cuda"),
}


def construction(subject: Subject) -> Facts:
    """Build it on the CPU and write down its structure."""
    instance, raised = subject.constructed()
    if instance is None:
        return {"construction": raised}
    structure = _structure(subject, instance)
    if subject.dry_run(instance.module):
        paths = {fact.path for fact in structure.tensors}
        shaped = _structure(subject, instance).tensors  # with what the call may have kept
        tensors = tuple(fact for fact in shaped if fact.path in paths)
        structure = replace(structure, tensors=tensors)
    return {"structure": structure}


def _structure(subject: Subject, instance: Instance) -> Structure:
    return structure_of(
        instance.module, subject.identities, subject.trace.line_of, instance.filled, subject.run
    )


def movement(subject: Subject) -> Facts:
    """Move a new instance in each way, and look where its tensors are."""
    facts = {"movements": tuple(_move(subject, how) for how in MOVES)}
    return facts | ({"by_default": by_default(subject)} if subject.takes_device else {})


def trial(subject: Subject) -> Facts:
    """Call a new instance on the CPU as it is, without the values that `execution` gives it."""
    module = subject.new().module
    _, raised = subject.attempt(lambda: module.to("cpu"), module)
    if raised:
        return {"first_calls": FirstCalls((), (Run("cpu", raised),))}
    state, runs, is_random = state_of(module), [], False
    for mode, inputs in zip(
        FIRST_MODES, inputs_of_first_calls(subject.feed(), subject.feed_later()), strict=True
    ):
        subject.attempt(partial(_set_mode, module, mode), module)
        returned, raised = subject.call(module, inputs)
        is_random = is_random or subject.draws
        runs.append(Run("cpu", raised) if raised else Run("cpu", None, outputs_of(returned)))
        if raised:
            break
    # A generator of the module's own, wherever it is kept, shows in the two calls in eval mode.
    is_random = is_random or runs[0].outputs != runs[-1].outputs
    drawn = drawn_by(list(_states(subject, state))) if subject.measures_noise else ()
    is_measured = is_random and subject.measures_noise and not raised
    noise = tuple(_noise(subject)) if is_measured else ()
    buffers = (each for each in registered_once(module) if each.role == "buffer")
    attached = tuple(each.name for each in buffers if each.tensor.requires_grad)
    other = other_instance(subject) if subject.make_other else None
    resized = None if raised else _resized_on_cuda(subject)
    first = FirstCalls(state, tuple(runs), drawn, noise, attached, other, resized)
    return {"first_calls": first}


def _resized_on_cuda(subject: Subject) -> Raised | None:
    """What a second call on CUDA raises, with inputs of another size, where the recipe has some.

    What a module keeps from the first call it may have to build anew then: on CUDA as well.
    """
    later = subject.feed_later()
    if later is None:
        return None
    module = subject.new().module
    _, raised = subject.attempt(lambda: module.cuda().eval(), module)
    for inputs in (subject.fed_to("cuda"), later.to("cpu" if subject.inputs_stay else "cuda")):
        if raised is None:
            _, raised = subject.call(module, inputs)
    return raised


def _states(subject: Subject, first: tuple[State, ...]) -> Iterator[tuple[State, ...]]:
    """The state of many new instances; of two, where another seed changes nothing."""
    yield first
    for i in range(1, BUILDS):
        state = state_of(subject.new(subject.seed + i).module)
        yield state
        if state == first:
            return


def _noise(subject: Subject) -> Iterator[Noise]:
    for mode in ("eval", "train"):
        module = subject.new().module
        inputs = subject.feed().to("cpu")
        subject.attempt(partial(_set_mode, module, mode), module)
        draw_often = partial(many_calls, module, inputs, subject.seed)
        returned, _ = subject.attempt(draw_often, module)
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
    return tuple(each.to("cpu").each(_behind_a_layer) for each in calls)


def _behind_a_layer(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.requires_grad_().clone() if tensor.is_floating_point() else tensor


def execution(subject: Subject) -> Facts:
    """Call one instance on the CPU and another on CUDA, from the same state."""
    on_cpu = _filled(subject, without_gpu(subject))
    on_cuda = _filled(subject)
    state = state_of(on_cpu.module)
    runs = (_run(subject, on_cpu, "cpu"), _run(subject, on_cuda, "cuda"))
    return {"state": state, "runs": runs, "elsewhere": elsewhere(subject)}


def training(subject: Subject) -> Facts:
    """One step of SGD on CUDA, towards random targets."""
    module = _filled(subject).module
    before: dict[str, torch.Tensor] = {}

    def train() -> None:
        subject.run(lambda: module.cuda().train())
        before.update({n: t.detach().clone() for n, t in sorted_state(module).items()})
        step(subject, module, subject.fed_to("cuda"))

    _, raised = subject.attempt_steps(train, module)
    return {"training": Training(raised, tuple(trained(module, before)))}


def checkpoint(subject: Subject) -> Facts:
    """Load its state_dict into a fresh instance, both on the CPU, and call the two.

    Where code of its own saves or loads, once more with each as a part of a larger module: that
    code is given a prefix there, which it may forget. PyTorch's never does.
    """
    saved, fresh = _to_be_saved(subject), subject.new()
    alone = _reloaded(subject, saved, fresh, lambda module: module)
    if alone.raised or alone.missing or alone.unexpected or not _has_own_saving(fresh.module):
        return {"checkpoint": alone}
    part = _reloaded(subject, _to_be_saved(subject), subject.new(), _as_part)
    return {"checkpoint": replace(alone, as_part=part)}


def _to_be_saved(subject: Subject) -> Instance:
    return _filled(subject, subject.make_other if subject.loads_other else None)


def _has_own_saving(module: nn.Module) -> bool:
    """Whether a method or hook that is not PyTorch's saves or loads it, or a child of it."""
    for each, _, _ in registered_modules(module, "self", ""):
        own = dict_of(each)
        written = (vars(cls) for cls in type(each).__mro__ if not is_torch(cls))
        if any(name in names for names in (own, *written) for name in SAVING):
            return True
        if any(size_of(own.get(name)) for name in SAVING_HOOKS):
            return True
    return False


def _as_part(module: nn.Module) -> nn.Module:
    own = vars(type(module)).keys() & {"state_dict", "load_state_dict"}  # the larger one has others
    return module if own else nn.ModuleDict({PART: module})


def _reloaded(
    subject: Subject, saved: Instance, fresh: Instance, whole: Callable[[nn.Module], nn.Module]
) -> Checkpoint:
    result: list[Any] = []

    def load() -> None:
        saving, loading = whole(saved.module), whole(fresh.module)
        state = subject.run(lambda: copy.deepcopy(dict(saving.state_dict())))
        result.append(subject.run(lambda: loading.load_state_dict(state, strict=False)))

    _, raised = subject.attempt_steps(load, fresh.module)
    if raised or not result:
        return Checkpoint(raised)
    before, after = _outputs(subject, saved), _outputs(subject, fresh)
    missing, unexpected = result[0]
    return Checkpoint(None, tuple(missing), tuple(unexpected), before, after)


def exercise_subject(cls: Any, recipe: Recipe, files: set[str], seed: int) -> Subject:
    """The class, built and fed as the recipe says."""
    return Subject(
        make=construct(cls, recipe.arguments),
        feed=lambda: recipe_inputs(recipe, seed),
        feed_later=lambda: later_inputs(recipe, seed),
        files=files,
        seed=seed,
        thorough=recipe.thorough,
        measures_noise=recipe.measures_noise,
        inputs_stay=recipe.inputs_stay,
        learns_from=recipe.learns_from,
        calls_lazy_modules=True,
        filled=recipe.filled,
        make_other=construct(cls, recipe.other_arguments) if recipe.other_arguments else None,
        loads_other=recipe.loads_other,
        takes_device=recipe.takes_device,
        elsewhere=recipe.elsewhere,
        make_with=lambda changed: construct(cls, recipe.arguments | changed),
    )


def construct(cls: Any, arguments: dict[str, Any]) -> Callable[[], Any]:
    """The call that constructs a learner's class.

    The arguments are passed by name. Where the class takes as many positional arguments and calls
    one of them otherwise, they are passed by position: the name is no part of the exercise.
    """
    if _goes_by_position(cls, arguments):
        return partial(cls, *arguments.values())
    return partial(cls, **arguments)


def _goes_by_position(cls: Any, arguments: dict[str, Any]) -> bool:
    try:
        parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    except Exception:  # it has no signature, or code of its own tells it
        return False
    taken = [each.name for each in parameters if each.kind in POSITIONAL]
    needed = [each.name for each in parameters if each.kind in POSITIONAL and each.default is EMPTY]
    by_name = {each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD}
    has_other_kinds = len(taken) != len(parameters)
    if has_other_kinds or len(needed) > len(arguments) or set(arguments) <= by_name:
        return False
    # In the order of the exercise: no name that is known stands in another place.
    names = taken[: len(arguments)]
    in_place = all(
        name not in arguments or name == asked
        for name, asked in zip(names, arguments, strict=False)
    )
    return in_place and len(arguments) in (len(taken), len(needed))


def recipe_inputs(recipe: Recipe, seed: int) -> Inputs:
    """Fresh CPU inputs, handed over as the recipe says."""
    drawn = draw(recipe.inputs, seed)
    return Inputs((drawn,) if recipe.nested else drawn)


def later_inputs(recipe: Recipe, seed: int) -> Inputs | None:
    """Fresh CPU inputs of another size, where the recipe has some."""
    return recipe_inputs(replace(recipe, inputs=recipe.later), seed) if recipe.later else None


STAGES = (construction, movement, execution, training, checkpoint, trial)
# No instance that one order looks at is the one that the other order looks at.
STAGES_AGAIN = (construction, trial, checkpoint, training, execution, movement)


def _filled(subject: Subject, make: Callable[[], Any] | None = None) -> Instance:
    instance = subject.new(make=make)
    fill_state(instance.module, subject.seed, subject.filled)
    return instance


def _move(subject: Subject, how: str) -> Movement:
    module = subject.new().module
    _, raised = subject.attempt(lambda: MOVES[how](module), module)
    return Movement(how, raised, tensors_of(module, subject.identities, subject.trace.line_of))


def _run(subject: Subject, instance: Instance, device: str) -> Run:
    module = instance.module
    # To the CPU as well: a constructor may have gone to CUDA because it is there.
    _, raised = subject.attempt(lambda: module.to(device).eval(), module)
    if raised:
        return Run(device, raised)
    with torch.no_grad():
        returned, raised = subject.call(module, subject.fed_to(device))
    return Run(device, raised) if raised else Run(device, None, outputs_of(returned))


def _outputs(subject: Subject, instance: Instance) -> tuple[Output, ...]:
    return _run(subject, instance, "cpu").outputs
