"""An audit's call of a replica, as `nn.DataParallel` makes one for each GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace
from torch import nn

from grader.probe.calls import FIRST_GPU, call, has_to_be_traced
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.source import Position, learners_location
from grader.probe.inspection.walk import Observer
from grader.probe.session import Session
from grader.probe.shortcuts import Spare, equals_cpu_run, has_left, leave, take, take_or_make
from grader.schema import Evidence, Phase, Run

MODE = "training"  # the attribute of a module


def replica(session: Session, evidence: Evidence) -> Evidence:
    """Call one replica of the module, made as `nn.DataParallel` makes them.

    The module is on cuda:0, and its replica on the CPU, which stands for the other GPUs: there,
    whatever leads to the module itself meets inputs of another device. No trace; if a line is to be
    named, a new instance and a trace. Of a module that can be shared, an instance on the CPU and
    its replica on cuda:0 are asked first, as that one is needed there later.
    """
    if session.needs_gradients:  # a replica's Parameters get none in this call
        return evidence
    with session.untraced():
        run = None
        if has_left(session, Spare.CALLED) and not _reads_a_number(evidence):
            run = _call_on_cuda(session)
        if run is None or not equals_cpu_run(run, evidence):
            run = _call_on_the_cpu(session)
    if run and has_to_be_traced(run):
        run = _call_replica(session, session.new().module, "cpu")
    return evidence.with_runs(run) if run else evidence


def _reads_a_number(evidence: Evidence) -> bool:
    """Whether a call reads a 0-dim tensor, which PyTorch lets CUDA tensors meet on the CPU."""
    return any(fact.used and fact.shape == () for fact in evidence.tensors)


def _call_on_cuda(session: Session) -> Run | None:
    """A call of a replica on cuda:0, of a spare instance that stays on the CPU."""
    instance = take_or_make(session, Spare.UNCALLED)
    leave(session, Spare.UNCALLED, instance)
    with _modes_kept(instance.module):
        return _call_replica(session, instance.module, FIRST_GPU, is_there=True)


def _call_on_the_cpu(session: Session) -> Run | None:
    """A call of a replica on the CPU, of an instance that was moved and not called yet."""
    spare = take(session, Spare.MOVED)
    instance = spare or take_or_make(session, Spare.MOVED_AND_TRACED)
    with _modes_kept(instance.module):
        return _call_replica(session, instance.module, "cpu", is_there=spare is not None)


@contextmanager
def _modes_kept(module: nn.Module) -> Iterator[None]:
    """Leaves each module in the mode that it is in now, train or eval; but TorchScript's."""
    held = [dict_of(child) for child, _, _ in registered_modules(module, "self", "")]
    modes = [(attributes, attributes[MODE]) for attributes in held if MODE in attributes]
    try:
        yield
    finally:
        for attributes, mode in modes:
            attributes[MODE] = mode


def _call_replica(
    session: Session, module: nn.Module, device: str, is_there: bool = False
) -> Run | None:
    """A call of the module's replica; None if it cannot be replicated.

    Args:
        session: the probe under way.
        module: the instance.
        device: where its replica is to be.
        is_there: whether the module is where it is to be; else it is moved to cuda:0.
    """
    session.run(lambda: module.eval())

    def replicate() -> nn.Module:
        return _replica(module if is_there else module.to(FIRST_GPU), device)

    copy, raised = session.attempt(replicate, module)
    if raised:  # a lazy module, say, cannot be replicated before its first call
        return None
    requests = _record_requests_for_parameters(session, copy)
    run = call(session, copy, Phase.REPLICA, device, session.feed().to(device))
    for file, line in requests[:1]:
        outputs = tuple(replace(output, file=file, line=line) for output in run.outputs)
        run = replace(run, outputs=outputs)
    return run


@dataclass(eq=False)
class _Request(Observer):
    """Stands for a module's `named_parameters`, and notes the line that asks for them."""

    session: Session
    module: nn.Module
    requests: list[Position]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (position := learners_location(self.session.files))[1]:
            self.requests.append(position)
        return type(self.module).named_parameters(self.module, *args, **kwargs)


def _record_requests_for_parameters(session: Session, replica: nn.Module) -> list[Position]:
    """A list that fills with the positions of lines that ask a replica for its Parameters.

    A replica has none: code such as `next(self.parameters()).device` fails there.
    """
    requests: list[Position] = []
    for owner, _, _ in registered_modules(replica, "self", ""):
        dict_of(owner)["named_parameters"] = _Request(session, owner, requests)
    return requests


def _replica(module: nn.Module, device: str) -> nn.Module:
    """One replica on another device.

    As `torch.nn.parallel.replicate` (torch/nn/parallel/replicate.py) makes it:

    1. `_replicate_for_data_parallel` copies each module shallowly, with empty `_parameters`.
    2. Children are replaced by their replicas.
    3. Parameters become plain attributes, tensors that are no leaves there and copies here. Buffers
       are copied to the device.
    """
    replicas: dict[Any, Any] = {
        original: original._replicate_for_data_parallel()  # type: ignore[no-untyped-call]
        for original in module.modules()
    }
    for original, replica in replicas.items():
        for name, child in original._modules.items():
            replica._modules[name] = replicas[child] if child is not None else None
        for name, parameter in original._parameters.items():
            if parameter is None:
                replica._parameters[name] = None
            else:
                setattr(replica, name, parameter.detach().to(device, copy=True))
        for name, buffer in original._buffers.items():
            if buffer is not None:
                replica._buffers[name] = buffer.to(device, copy=True)
    root: nn.Module = replicas[module]
    return root
