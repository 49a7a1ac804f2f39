"""Scenes of an audit: an instance is moved and called, act after act."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from torch import nn

from grader.probe.calls import call, first_half, move
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.registered import gpus_of, registered_once
from grader.probe.session import Instance, Session
from grader.probe.training import step
from grader.schema import Evidence, Phase, Raised, Run

Placing = Callable[[Session, nn.Module, Phase, str], Raised | None]
Feeding = Callable[[Session, str], Inputs]


def there(session: Session, device: str) -> Inputs:
    return session.fed_to(device)


def half(session: Session, device: str) -> Inputs:
    inputs = session.fed_to(device)
    return first_half(inputs) or inputs


def on_the_cpu(session: Session, device: str) -> Inputs:
    return session.feed().to("cpu")


def as_given(session: Session, device: str) -> Inputs:
    return session.feed()


# A module that keeps a large table on the CPU brings its inputs to each part by itself.
ANYWHERE = (there, on_the_cpu, as_given)


class Act(NamedTuple):
    """A call of the instance, or a step of training it.

    Attributes:
        phase: which call it is.
        device: where the instance is to be; where it is, unless given.
        place: brings it there, if it is not there yet.
        inputs: what to call it with; the next if it refuses those before.
    """

    phase: Phase
    device: str = ""
    place: Placing = move
    inputs: tuple[Feeding, ...] = (there,)


def play(session: Session, evidence: Evidence, instance: Instance, *acts: Act) -> Evidence:
    """The evidence with the runs of these acts, up to one that stops, or until it is late.

    A call that raised is made again if it registered a tensor of another instance. pyro's modules
    look Parameters up by name in a store of the process; nobody moves a module before the call in
    which it gets them, if not by accident.
    """
    for act in acts:
        if session.is_late and instance.at and act.device not in ("", instance.at):
            why = f"{session.seconds:.0f} s were used up"
            return evidence.without(f"moves after the one to {instance.at}", why)
        before = {id(entry.tensor) for entry in registered_once(instance.module)}
        run = _performed(session, instance, act)
        if run.raised and _took_over(session, instance.module, before):
            instance.at = ""
            run = _performed(session, instance, act)
        evidence = evidence.with_runs(run)
        if run.is_stopped:
            break
    return evidence


def _performed(session: Session, instance: Instance, act: Act) -> Run:
    module, device = instance.module, act.device or min(gpus_of(instance.module))
    if act.device and act.device != instance.at:
        if raised := act.place(session, module, act.phase, device):
            return Run(device, raised, phase=act.phase)
        instance.at = device
    if act.phase in (Phase.TRAIN_MODE, Phase.TRAINED):
        session.run(lambda: module.train(True))
    if act.phase is Phase.TRAINED:
        inputs = session.fed_to(device)
        _, raised = session.attempt_steps(partial(step, session, module, inputs), module, inputs)
        return Run(device, raised, phase=act.phase)
    runs = []
    for feed in act.inputs:
        runs.append(call(session, module, act.phase, device, feed(session, device)))
        if not runs[-1].raised:
            return runs[-1]
    return runs[0]


def _took_over(session: Session, module: nn.Module, before: set[int]) -> bool:
    """Whether a call registered a tensor of another instance."""
    new = (id(entry.tensor) for entry in registered_once(module) if id(entry.tensor) not in before)
    return any(session.identities.known(key) for key in new)
