"""The first calls on CUDA: of an instance that was moved before it was ever called."""

from __future__ import annotations

from functools import partial

from torch import nn

from grader.probe.calls import FIRST_GPU, call, call_from, first_half, move, move_and_call
from grader.probe.inspection.registered import registered_once
from grader.probe.session import Session
from grader.probe.shortcuts import (
    Spare,
    calls_of_moved_instance,
    leave,
    may_go_untraced,
    take,
    take_or_make,
)
from grader.schema import Evidence, Phase, Run


def calls_on_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Call an instance that was moved before: in eval mode, in train mode, with half a batch.

    Of one that can be shared, the call after the move is the first of these.
    """
    instance = take(session, Spare.CALLED)
    runs = calls_of_moved_instance(session, instance.module, evidence) if instance else []
    if instance and runs:
        leave(session, Spare.CALLED, instance)
        return evidence.with_runs(*runs)
    return evidence.with_runs(*_calls_of_new_instance(session, evidence))


def _calls_of_new_instance(session: Session, evidence: Evidence) -> list[Run]:
    """The runs of an instance that was not called before."""
    module = take_or_make(session, Spare.MOVED_AND_TRACED).module
    before = {id(entry.tensor) for entry in registered_once(module)}
    is_traced = not may_go_untraced(evidence)
    # The trace tells whether it moves its inputs, unless nothing there ever asks for a device.
    is_first_traced = is_traced or evidence.baseline.asks_where
    runs = [move_and_call(session, module, Phase.CUDA, FIRST_GPU, is_first_traced)]
    if runs[0].raised and took_over(session, module, before):
        runs = [move_and_call(session, module, Phase.CUDA, FIRST_GPU)]
    asks_to_move, feed = runs[0].asks_to_move, partial(session.fed_to, FIRST_GPU)
    if not runs[0].is_stopped:
        session.run(lambda: module.train(True))
        runs.append(call_from(session, module, Phase.TRAIN_MODE, FIRST_GPU, feed, is_traced))
        session.run(lambda: module.eval())
        if half := first_half(feed()):
            feed = partial(session.fed_to, FIRST_GPU, half)
            runs.append(call_from(session, module, Phase.HALF_BATCH, FIRST_GPU, feed, is_traced))
    if asks_to_move:
        runs.append(_call_on_cpu_inputs(session, module, any(run.helped for run in runs)))
    return runs


def _call_on_cpu_inputs(session: Session, module: nn.Module, is_helped: bool) -> Run:
    """A call on inputs on the CPU; of another instance, if the calls of this one were helped."""
    if is_helped:
        module = session.new().module
        move(session, module, Phase.CPU_INPUTS, FIRST_GPU)
    return call(session, module, Phase.CPU_INPUTS, FIRST_GPU, session.feed())


def took_over(session: Session, module: nn.Module, before: set[int]) -> bool:
    """Whether a call registered a tensor of another instance.

    As pyro's modules do, which look Parameters up by name in a store of the process. Nobody moves a
    module before the call in which it gets them, if not by accident.
    """
    new = (id(entry.tensor) for entry in registered_once(module) if id(entry.tensor) not in before)
    return any(session.identities.known(key) for key in new)
