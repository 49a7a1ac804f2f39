"""An audit's call of a replica, as `nn.DataParallel` makes one for each GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace
from torch import nn

from grader.probe.calls import FIRST_GPU, call
from grader.probe.inspection.frames import at, learners_frame
from grader.probe.inspection.plain import dict_of
from grader.probe.inspection.registered import registered_modules
from grader.probe.inspection.source import Position
from grader.probe.inspection.walk import Observer
from grader.probe.session import Session, Spare
from grader.schema import Evidence, Phase, Run


def replica(session: Session, evidence: Evidence) -> Evidence:
    """Call one replica of the module, made as `nn.DataParallel` makes them.

    The module is on cuda:0, and its replica on the CPU, which stands for the other GPUs: there,
    whatever leads to the module itself meets inputs of another device.
    """
    if session.needs_gradients:  # a replica's Parameters get none in this call
        return evidence
    run = _call_replica(session, session.take_or_make(Spare.MOVED).module)
    return evidence.with_runs(run) if run else evidence


def _call_replica(session: Session, module: nn.Module) -> Run | None:
    """A call on the CPU of a replica of the module on cuda:0; None if it cannot be replicated."""
    session.run(lambda: module.eval())
    copy, raised = session.attempt(lambda: _replica(module.to(FIRST_GPU)), module)
    if raised:  # a lazy module, say, cannot be replicated before its first call
        return None
    requests = _record_requests_for_parameters(session, copy)
    run = call(session, copy, Phase.REPLICA, "cpu", session.feed().to("cpu"))
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
        if here := at(learners_frame(self.session.files)):
            self.requests.append(here.position)
        return type(self.module).named_parameters(self.module, *args, **kwargs)


def _record_requests_for_parameters(session: Session, replica: nn.Module) -> list[Position]:
    """A list that fills with the positions of lines that ask a replica for its Parameters.

    A replica has none: code such as `next(self.parameters()).device` fails there.
    """
    requests: list[Position] = []
    for owner, _, _ in registered_modules(replica):
        dict_of(owner)["named_parameters"] = _Request(session, owner, requests)
    return requests


def _replica(module: nn.Module) -> nn.Module:
    """One replica on the CPU.

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
                setattr(replica, name, parameter.detach().to("cpu", copy=True))
        for name, buffer in original._buffers.items():
            if buffer is not None:
                replica._buffers[name] = buffer.to("cpu", copy=True)
    root: nn.Module = replicas[module]
    return root
