"""Calls in other surroundings that a recipe names, and of instances constructed differently."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.structure import tensors_of
from grader.probe.inspection.values import fill_state, is_dense, sorted_state, state_of
from grader.probe.session import Session
from grader.probe.steps.filled_calls import call_in_place, under_default_device
from grader.schema import ByDefault, OtherInstance, Place, Placement, Run

# What uninitialised integers are set to; floating-point tensors are set to NaN.
GARBAGE = 77


def elsewhere(session: Session) -> tuple[Placement, ...]:
    """One call in each of the subject's other places."""
    return tuple(call for name in session.wants.elsewhere for call in CALLS[name](session))


def without_gpu(session: Session) -> Callable[[], Any] | None:
    """What constructs it for a GPU that the machine lacks, where it takes the number of one."""
    if "gpu" not in session.wants.elsewhere:
        return None
    return session.subject.made_with({"gpu": torch.cuda.device_count()})


def _on_each_gpu(session: Session) -> Iterator[Placement]:
    """Built with `gpu=n` for each GPU here, and for one more, which means the CPU."""
    count = torch.cuda.device_count()
    for index in range(count + 1):
        device = f"cuda:{index}" if index < count else "cpu"
        has = f" on a machine with {count}" if index == count else ""
        make = session.subject.made_with({"gpu": index})
        yield _call_at(session, f"built with `gpu={index}`{has}", device, make, lambda _: None)


def _from_meta(session: Session) -> Iterator[Placement]:
    """Built without values, given memory by `to_empty`, reset, and then a checkpoint."""
    saved = session.new().module
    fill_state(saved, session.subject.seed, session.wants.filled)
    state = copy.deepcopy(dict(saved.state_dict()))

    def materialise(module: nn.Module) -> None:
        session.run(lambda: module.to_empty(device="cuda:0"))
        _fill_with_garbage(module)
        session.run(partial(_reset_parameters, module))
        session.run(lambda: module.load_state_dict(state))
        unwritten.extend(_unwritten(module))

    unwritten: list[str] = []
    how = "built on the meta device, given memory by `to_empty`, reset and loaded"
    call = _call_at(
        session, how, "cuda:0", partial(under_default_device, "meta", session.make), materialise
    )
    yield replace(call, unwritten=tuple(unwritten))


def _on_unknown_device(session: Session) -> Iterator[Placement]:
    """Moved to `meta`, which computes shapes only: it has another name, as an unknown GPU would."""
    how = "moved to a device that is neither the CPU nor CUDA (`meta` stands for it)"

    def move(module: nn.Module) -> None:
        session.run(lambda: module.to("meta"))

    yield _call_at(session, how, "meta", session.make, move)


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


def _fill_with_garbage(module: nn.Module) -> None:
    """Fill uninitialised memory with garbage, so that a run without initialisation always fails."""
    with torch.no_grad():
        for entry in registered_once(module):
            entry.tensor.fill_(math.nan if entry.tensor.is_floating_point() else GARBAGE)


def _unwritten(module: nn.Module) -> Iterator[str]:
    """Names of tensors that are still NaN throughout: nothing wrote them."""
    for entry in registered_once(module):
        tensor = plain(entry.tensor)
        if is_dense(tensor) and tensor.numel() and bool(tensor.isnan().all()):
            yield entry.name


def _reset_parameters(module: nn.Module) -> None:
    """As `torch.distributed.fsdp.fully_shard` asks of whoever builds a module on meta."""
    for child in module.modules():
        if hasattr(child, "reset_parameters"):
            child.reset_parameters()  # type: ignore[operator]


DEVICE = "cuda:0"


def other_instance(session: Session) -> OtherInstance:
    """Build it with the other arguments and call it in eval mode on the CPU."""
    make = session.subject.made_with(session.wants.other_arguments or {})
    instance, raised = session.build(make=make, is_usual=False)
    if instance is None:
        return OtherInstance(Run("cpu", raised))
    module = instance.module
    _, raised = session.attempt(lambda: module.to("cpu").eval(), module)
    if raised:
        return OtherInstance(Run("cpu", raised))
    state, tensors = state_of(module), sorted_state(module)
    trainable = tuple(name for name, tensor in tensors.items() if tensor.requires_grad)
    return OtherInstance(call_in_place(session, module, "cpu"), state, trainable)


def by_default(session: Session) -> ByDefault:
    """Construct it with the default device CUDA, and see if it changes the default itself."""
    left: list[str] = []
    session.build(make=partial(_note_default, session.make, left))
    instance, raised = session.build(make=partial(under_default_device, DEVICE, session.make))
    if instance is None:
        return ByDefault((), raised, *left)
    tensors = tensors_of(instance.module, session.identities, session.trace.position_of)
    return ByDefault(tensors, None, *left)


def _note_default(make: Callable[..., Any], left: list[str]) -> Any:
    module = make(device=DEVICE)
    left.append(str(torch.get_default_device()))
    torch.set_default_device(None)
    return module
