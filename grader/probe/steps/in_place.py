"""A module whose parts are on several GPUs: it is called where it is, and not moved."""

from __future__ import annotations

from torch import nn

from grader.probe.calls import call
from grader.probe.session import Session
from grader.probe.shortcuts import Spare, take_or_make
from grader.schema import Evidence, Phase, Run


def is_split(evidence: Evidence) -> bool:
    """Whether what it registers is on more than one GPU."""
    return evidence.structure is not None and len(evidence.structure.gpus) > 1


def in_place(session: Session, evidence: Evidence) -> Evidence:
    """Call a module that is split where it is, in eval mode and in train mode."""
    if not is_split(evidence) or evidence.structure is None:
        return evidence
    module = take_or_make(session, Spare.DESCRIBED).module
    gpu = evidence.structure.gpus[0]
    runs = [_call_on_inputs(session, module, Phase.IN_PLACE, gpu)]
    if not runs[0].raised:
        session.run(lambda: module.train(True))
        runs.append(_call_on_inputs(session, module, Phase.TRAIN_MODE, gpu))
    return evidence.with_runs(*runs)


def _call_on_inputs(session: Session, module: nn.Module, phase: Phase, gpu: str) -> Run:
    """A call on inputs that are on the first GPU; if it refuses those, on inputs on the CPU."""
    run = call(session, module, phase, gpu, session.fed_to(gpu))
    if not run.raised:
        return run
    from_cpu = call(session, module, phase, gpu, session.feed().to("cpu"))
    return run if from_cpu.raised else from_cpu
