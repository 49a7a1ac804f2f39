"""Calls in other surroundings that a recipe names, and of instances constructed differently."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.answer import later_inputs, recipe_inputs
from grader.probe.calls import Parent, last_gpu
from grader.probe.device import simulated_gpus
from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import Reached, registered_once
from grader.probe.inspection.uninitialised import is_unwritten, recognisable
from grader.probe.inspection.values import fill_state, is_lazy, sorted_state, state_of
from grader.probe.session import Session
from grader.probe.steps.filled_calls import call_in_place, call_moved, under_default_device
from grader.schema import OtherInstance, Place, Placed, Placement, Run
from grader.simulated_cuda import is_enabled

WITHOUT_GPU = "on a machine without a GPU"
# What uninitialised memory may hold: what is easily told from values, and what is not.
GARBAGE: tuple[Callable[[torch.Tensor], object], ...] = (
    lambda tensor: None,  # as it is: NaN, and the largest integer
    lambda tensor: tensor.zero_(),
    lambda tensor: tensor.copy_(torch.rand(tensor.shape)),
)


def elsewhere(session: Session) -> tuple[Placement, ...]:
    """One call in each of the subject's other places, and one on a machine without a GPU."""
    named = (call for name in session.wants.elsewhere for call in CALLS[name](session))
    return (*named, *_on_no_gpu(session))


def _on_no_gpu(session: Session) -> Iterator[Placement]:
    """Built and called where there is none; `grader.grading` asks for it where a GPU is real."""
    if is_enabled():
        with simulated_gpus(0):
            fill = partial(fill_state, seed=session.subject.seed, also=session.wants.filled)
            yield _call_at(session, WITHOUT_GPU, "cpu", session.subject.make, fill)


def without_gpu(session: Session) -> Callable[[], Any] | None:
    """What constructs it for a GPU that the machine lacks, where it takes the number of one."""
    if "gpu" not in session.wants.elsewhere:
        return None
    return session.subject.made_with({"gpu": torch.cuda.device_count()})


def _on_each_gpu(session: Session) -> Iterator[Placement]:
    """Built with `gpu=n` for each GPU here, and for one more, which means the CPU.

    Threat: code that knows how many there are. A simulated machine then gets one more.
    """
    count = torch.cuda.device_count()
    for index in range(count):
        yield _built_for(session, index, count)
    has = f" on a machine with {count}"
    yield _built_for(session, count, count, has)
    if is_enabled():
        with simulated_gpus(count + 1):
            yield _built_for(session, count, count + 1, f" on a machine with {count + 1}")


def _built_for(session: Session, index: int, count: int, has: str = "") -> Placement:
    device = f"cuda:{index}" if index < count else "cpu"
    make = session.subject.made_with({"gpu": index})
    return _call_at(session, f"built with `gpu={index}`{has}", device, make, lambda _: None)


def _from_meta(session: Session) -> Iterator[Placement]:
    """Built without values, given memory by `to_empty`, reset, and then a checkpoint."""
    saved = session.new().module
    fill_state(saved, session.subject.seed, session.wants.filled)
    state = copy.deepcopy(dict(saved.state_dict()))

    def unwritten(module: nn.Module) -> list[Reached]:
        return [entry for entry in registered_once(module) if is_unwritten(entry.tensor)]

    def materialise(fill: Callable[[torch.Tensor], object], module: nn.Module) -> None:
        with recognisable():
            session.run(lambda: Parent(module).to_empty(device="cuda:0"))  # it calls no child's
        for entry in unwritten(module):
            fill(plain(entry.tensor).detach())
        session.run(partial(_reset_parameters, module))
        not_reset = unwritten(module)
        session.run(lambda: module.load_state_dict(state))
        left[:] = (tuple(e.name for e in found) for found in (unwritten(module), not_reset))

    left: list[tuple[str, ...]] = []
    how = "built on the meta device, given memory by `to_empty()`, reset and loaded"
    make = partial(under_default_device, "meta", session.subject.make)
    for fill in GARBAGE:
        left[:] = (), ()
        call = _call_at(session, how, "cuda:0", make, partial(materialise, fill))
        yield replace(call, unwritten=left[0], not_reset=left[1])


def _on_unknown_device(session: Session) -> Iterator[Placement]:
    """Moved to `meta`, which computes shapes only: it has another name, as an unknown GPU would."""
    how = "moved to a device that is neither the CPU nor CUDA (`meta` stands for it)"

    def move(module: nn.Module) -> None:
        session.run(lambda: module.to("meta"))

    yield _call_at(session, how, "meta", session.subject.make, move)


CALLS: dict[Place, Callable[[Session], Iterator[Placement]]] = {
    "gpu": _on_each_gpu,
    "meta": _from_meta,
    "unknown": _on_unknown_device,
    "replica": lambda session: iter(()),  # an audit makes replicas of every module
}


def _call_at(
    session: Session,
    how: str,
    device: str,
    make: Callable[[], Any],
    prepare: Callable[[nn.Module], object],
) -> Placement:
    instance, raised = session.build(make=make)
    if instance is None:
        return Placement(how, Run(device, raised))
    module = instance.module
    _, raised = session.attempt_steps(lambda: prepare(module), module)
    if raised is None:
        _, raised = session.attempt(lambda: module.eval(), module)
    if raised:
        return Placement(how, Run(device, raised))
    return Placement(how, call_in_place(session, module, device))


def _reset_parameters(module: nn.Module) -> None:
    """As `torch.distributed.fsdp.fully_shard` asks of whoever builds a module on meta."""
    for child in module.modules():
        if hasattr(child, "reset_parameters"):
            child.reset_parameters()  # type: ignore[operator]


DEVICE = "cuda:0"


def other_instance(session: Session) -> OtherInstance:
    """Build it with the other arguments and call it, on the CPU and on a GPU.

    In train mode first, on inputs of another size: what that gathers shows in the other calls.
    """
    others = session.wants.other_arguments or {}
    make = session.subject.made_with(others)
    instance, raised = session.build(make=make, is_usual=False, is_shaped=False)
    if instance is None:
        return OtherInstance(Run("cpu", raised))
    module = instance.module
    _, raised = session.attempt(lambda: module.to("cpu").train(True), module)
    if raised:
        return OtherInstance(Run("cpu", raised))
    feed = partial(recipe_inputs, session.wants, session.subject.seed, others)
    if is_lazy(module):
        call_in_place(session, module, "cpu", feed())  # which gives lazy layers their Parameters
    state, tensors = state_of(module), sorted_state(module)
    trainable = tuple(name for name, tensor in tensors.items() if tensor.requires_grad)
    later = later_inputs(session.wants, session.subject.seed, others)
    trained = call_in_place(session, module, "cpu", later or feed())
    places = ["cpu"] if trained.raised or session.wants.chooses_gpu else ["cpu", last_gpu()]
    runs = [trained] if trained.raised else [call_moved(session, module, p, feed()) for p in places]
    has_numbers = any(entry.tensor.numel() for entry in registered_once(module))
    if not has_numbers and runs[1:] and _stayed(*runs):
        # It has nothing anywhere, so it computes where its inputs are: elsewhere than it was moved.
        there, apart = reversed(places) if session.wants.inputs_stay else places
        session.attempt(lambda: module.to(there), module)
        runs[1:] = [call_in_place(session, module, apart, feed())]
    return OtherInstance(runs[0], state, trainable, *runs[1:])


def _stayed(*runs: Run) -> bool:
    """Whether each call ran, and gave all on its device."""
    return all(not run.raised and {o.device for o in run.outputs} <= {run.device} for run in runs)


def built(session: Session) -> Iterator[Placed]:
    """Instances that are built where the caller says: by the argument, or by the default device."""
    last, on_cuda = last_gpu(), partial(under_default_device, DEVICE)
    on_cpu = partial(session.subject.make, device="cpu")
    by_default = 'after `torch.set_default_device("cuda")`'
    for how, device, make in (
        (f"without a `device` {by_default}", DEVICE, partial(on_cuda, session.subject.make)),
        (f'with `device="{last}"`', last, partial(session.subject.make, device=last)),
        (f'with `device="cpu"` {by_default}', "cpu", partial(on_cuda, on_cpu)),
    ):
        instance, raised = session.build(make=make)
        tensors = session.tensors_of(instance.module) if instance else ()
        yield Placed(how, raised, tensors, device=device)
