"""Calls on several devices: an instance is called on the CPU, moved, called, and moved on."""

from __future__ import annotations

from msgspec.structs import replace

from grader.probe.calls import FIRST_GPU, SECOND_GPU, call, last_gpu, move_and_call
from grader.probe.session import Instance, Session
from grader.probe.shortcuts import (
    Spare,
    calls_after_one_move,
    complete_movement,
    is_reusable,
    leave,
    may_go_untraced,
    take,
)
from grader.schema import Evidence, Phase

DEVICE_MOVES = ((Phase.MOVED, FIRST_GPU), (Phase.MOVED_ON, SECOND_GPU), (Phase.MOVED_BACK, "cpu"))


def device_moves(session: Session, evidence: Evidence) -> Evidence:
    """Move the instance that was called on the CPU to cuda:0, to cuda:1 and back; eval mode.

    One that can be shared is moved once, and kept for other questions if that changes nothing.
    """
    instance = take(session, Spare.CALLED_ON_THE_CPU)
    if instance is None:
        return evidence
    if is_reusable(session, evidence):
        if runs := calls_after_one_move(session, instance.module, evidence):
            leave(session, Spare.CALLED, instance)
            evidence = evidence.with_runs(*runs)
            movement = None if evidence.movements else complete_movement(session, instance.module)
            return replace(evidence, movements=(movement,)) if movement else evidence
        instance = _called_on_the_cpu(session, evidence.baseline.calls)
    is_traced = not may_go_untraced(evidence)
    for phase, device in DEVICE_MOVES:
        if device == SECOND_GPU != last_gpu():
            continue
        run = move_and_call(session, instance.module, phase, device, is_traced)
        evidence = evidence.with_runs(run)
        if run.is_stopped:
            break
        if session.is_late and phase is not Phase.MOVED_BACK:
            why = f"{session.seconds:.0f} s were used up"
            return evidence.without(f"moves after the one to {device}", why)
    return evidence


def _called_on_the_cpu(session: Session, calls: int) -> Instance:
    """A new instance, called on the CPU as often as the first one was."""
    instance = session.new()
    for _ in range(calls):
        call(session, instance.module, Phase.CPU, "cpu", session.fed_to("cpu"), is_traced=False)
    return instance
