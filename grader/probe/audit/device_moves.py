"""An audit's calls on several devices: instances are moved, called, moved on and called again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from torch import nn

from grader.probe.audit.calls import (
    FIRST_GPU,
    SECOND_GPU,
    call,
    call_with_trace_on_error,
    first_half,
    has_to_be_traced,
    last_gpu,
    move,
    move_and_call,
)
from grader.probe.audit.sharing import complete_movement, equals_cpu_run, is_reusable, run_of
from grader.probe.audit.subject import AuditRun
from grader.probe.inspection.operations import MoveWatch
from grader.probe.inspection.registered import registered_modules, registered_once
from grader.probe.subject import Instance, Subject
from grader.schema import Evidence, Location, Phase, Run

DEVICE_MOVES = ((Phase.MOVED, FIRST_GPU), (Phase.MOVED_ON, SECOND_GPU), (Phase.MOVED_BACK, "cpu"))


class Parent(nn.Module):
    """A module that holds the one under audit, as a larger model would."""

    def __init__(self, child: nn.Module) -> None:
        super().__init__()
        self.child = child

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.child(*args, **kwargs)


def device_moves(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Move the instance that was called on the CPU to cuda:0, to cuda:1 and back; eval mode.

    One that can be shared is moved once, and kept for other questions if that changes nothing.
    """
    if audit.cpu_instance is None:
        return evidence
    subject, instance, audit.cpu_instance = audit.subject, audit.cpu_instance, None
    if is_reusable(subject, evidence):
        if runs := _calls_after_one_move(audit, instance.module, evidence):
            audit.cpu_instance = instance
            evidence = evidence.with_runs(*runs)
            movement = None if evidence.movements else complete_movement(subject, instance.module)
            return replace(evidence, movements=(movement,)) if movement else evidence
        instance = _fresh_called_instance(audit)
    for phase, device in DEVICE_MOVES:
        if device == SECOND_GPU != last_gpu():
            continue
        run = move_and_call(subject, instance.module, phase, device, is_traced=False)
        evidence = evidence.with_runs(run)
        if run.raised:
            break
        if subject.is_late and phase is not Phase.MOVED_BACK:
            why = f"{subject.seconds:.0f} s were used up"
            return evidence.without(f"moves after the one to {device}", why)
    return evidence


def _calls_after_one_move(audit: AuditRun, module: nn.Module, evidence: Evidence) -> list[Run]:
    """The runs of a module in which neither a call nor a move leaves anything.

    Why one call stands for three: wherever the module was before, it is as it was built, so a call
    depends on where it is now and on nothing else.

    - A fault on the first GPU shows on the second as well: a tensor that stayed on the CPU is as
      far from either.
    - Code that names the first GPU, as `"cuda"` does, fails on the second alone.
    - Back on the CPU it is as in its first call, whose numbers are known.

    Returns:
        None of them if that call has something to tell: then each move is asked by itself.
    """
    subject, device = audit.subject, last_gpu()
    if move(subject, module, Phase.MOVED, device):
        return []
    subject.watch = watch = MoveWatch() if subject.asks_where else None
    run = call(subject, module, Phase.MOVED, device, subject.fed_to(device), is_traced=False)
    subject.watch = None
    audit.moves_inputs = watch is not None and watch.has_seen_one
    if not equals_cpu_run(run, evidence):
        return []
    back = replace(run_of(evidence, Phase.CPU), phase=Phase.MOVED_BACK)
    return [run, replace(run, phase=Phase.MOVED_ON), back]


def _fresh_called_instance(audit: AuditRun) -> Instance:
    """A new instance, called on the CPU as often as the first one was."""
    subject = audit.subject
    instance = subject.new()
    for _ in range(audit.calls):
        call(subject, instance.module, Phase.CPU, "cpu", subject.fed_to("cpu"), is_traced=False)
    return instance


def calls_on_cuda(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call an instance that was moved before: in eval mode, in train mode, with half a batch.

    Of one that can be shared, the call after the move is the first of these.
    """
    if audit.cpu_instance is not None:
        if runs := _calls_on_reused_instance(audit, audit.cpu_instance.module, evidence):
            return evidence.with_runs(*runs)
        audit.cpu_instance = None
    return evidence.with_runs(*_calls_on_new_instances(audit))


def _calls_on_reused_instance(audit: AuditRun, module: nn.Module, evidence: Evidence) -> list[Run]:
    """The runs of the instance that was called before; none if one has something to tell.

    If it asks for devices, half a batch is asked on the first GPU, or a whole one that has no half:
    code may name the second.
    """
    subject, moved = audit.subject, run_of(evidence, Phase.MOVED)
    runs, device = [replace(moved, phase=Phase.CUDA)], moved.device
    subject.run(lambda: module.train())
    whole = subject.fed_to(device)
    runs.append(call(subject, module, Phase.TRAIN_MODE, device, whole, is_traced=False))
    if subject.asks_where and device != FIRST_GPU:
        if move(subject, module, Phase.MOVED, FIRST_GPU):
            return []
        device = FIRST_GPU
    half = first_half(subject.fed_to(device))
    if half or device != moved.device:
        inputs = half or subject.fed_to(device)
        runs.append(call(subject, module, Phase.HALF_BATCH, device, inputs, is_traced=False))
    if any(map(has_to_be_traced, runs)):
        return []
    if audit.moves_inputs:
        runs.append(call(subject, module, Phase.CPU_INPUTS, device, subject.feed()))
    return runs


def _calls_on_new_instances(audit: AuditRun) -> list[Run]:
    """The runs of an instance that was not called before."""
    subject, module = audit.subject, None
    if audit.is_moved_traced:
        module, audit.moved_instance = audit.moved_instance, None
    if module is None:
        module = subject.new().module
    before = {id(entry.tensor) for entry in registered_once(module)}
    # The trace tells whether it moves its inputs, unless nothing there ever asks for a device.
    runs = [move_and_call(subject, module, Phase.CUDA, FIRST_GPU, subject.asks_where)]
    if runs[0].raised and took_over(subject, module, before):
        runs = [move_and_call(subject, module, Phase.CUDA, FIRST_GPU)]
    asks_to_move = bool(subject.trace.asked_to_move)
    feed = partial(subject.fed_to, FIRST_GPU)
    if not runs[0].raised:
        subject.run(lambda: module.train())
        runs.append(call_with_trace_on_error(subject, module, Phase.TRAIN_MODE, FIRST_GPU, feed))
        subject.run(lambda: module.eval())
        half = first_half(feed())
        if half is not None:
            feed = partial(half.to, FIRST_GPU)
            runs.append(
                call_with_trace_on_error(subject, module, Phase.HALF_BATCH, FIRST_GPU, feed)
            )
    if asks_to_move:
        runs.append(call(subject, module, Phase.CPU_INPUTS, FIRST_GPU, subject.feed()))
    return runs


def took_over(subject: Subject, module: nn.Module, before: set[int]) -> bool:
    """Whether a call registered a tensor of another instance.

    As pyro's modules do, which look Parameters up by name in a store of the process. Nobody moves a
    module before the call in which it gets them, if not by accident.
    """
    new = (id(entry.tensor) for entry in registered_once(module) if id(entry.tensor) not in before)
    return any(subject.identities.known(key) for key in new)


def part_of_another(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call the module as the child of a parent that is moved.

    `Module.to` of a parent calls `_apply` of its children, and never their `to`. So this differs
    from a plain move only if the module overrides a method such as `to`, and is skipped otherwise.
    If a child does, and a call after a plain move raised, another call follows: of an instance
    whose children were moved by their own methods too.
    """
    overrides = evidence.structure.overrides if evidence.structure else ()
    if any(_owner_of(override) == "self" for override in overrides):
        parent = Parent(audit.subject.new().module)
        run = move_and_call(audit.subject, parent, Phase.PART_OF_ANOTHER, FIRST_GPU)
        evidence = evidence.with_runs(run)
    children = [override for override in overrides if _owner_of(override) != "self"]
    is_refused = any(run.raised for run in evidence.runs if run.phase is Phase.CUDA)
    if children and is_refused:
        evidence = evidence.with_runs(_children_moved(audit.subject, children))
    return evidence


def _children_moved(subject: Subject, overrides: list[Location]) -> Run:
    """A call after a move that also called what the module's children override."""
    module = subject.new().module
    owners = {path: child for child, path, _ in registered_modules(module, "self", "")}
    methods = [
        getattr(owners[_owner_of(override)], override.path.rpartition(".")[2])
        for override in overrides
        if override.path.endswith((".to", ".cuda")) and _owner_of(override) in owners
    ]

    def move() -> None:
        for method in methods:
            method(FIRST_GPU)

    _, raised = subject.attempt(move, module)
    if raised:
        return Run(FIRST_GPU, raised, phase=Phase.CHILDREN_MOVED)
    return move_and_call(subject, module, Phase.CHILDREN_MOVED, FIRST_GPU)


def _owner_of(override: Location) -> str:
    """The path of the module whose method it is."""
    return override.path.rpartition(".")[0]
