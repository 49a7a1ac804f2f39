"""An audit's module whose parts are on several GPUs: it is called where it is, and not moved."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from grader.probe.audit.subject import AuditRun
from grader.probe.calls import call
from grader.probe.subject import Subject
from grader.schema import Evidence, Phase, Run

Stage = Callable[[AuditRun, Evidence], Evidence]


def is_split(evidence: Evidence) -> bool:
    """Whether what it registers is on more than one GPU."""
    return evidence.structure is not None and len(evidence.structure.gpus) > 1


def unless_split(run: Stage) -> Stage:
    """`run`, for modules that are on one device: to move another one would undo what it is."""

    def run_unless_split(audit: AuditRun, evidence: Evidence) -> Evidence:
        return evidence if is_split(evidence) else run(audit, evidence)

    return run_unless_split


def in_place(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call a module that is split where it is, in eval mode and in train mode."""
    if not is_split(evidence) or evidence.structure is None or audit.cpu_instance is None:
        return evidence
    subject, module, audit.cpu_instance = audit.subject, audit.cpu_instance.module, None
    gpu = evidence.structure.gpus[0]
    runs = [_call_on_inputs(subject, module, Phase.IN_PLACE, gpu)]
    if not runs[0].raised:
        subject.run(lambda: module.train())
        runs.append(_call_on_inputs(subject, module, Phase.TRAIN_MODE, gpu))
    return evidence.with_runs(*runs)


def _call_on_inputs(subject: Subject, module: nn.Module, phase: Phase, gpu: str) -> Run:
    """A call on inputs that are on the first GPU; if it refuses those, on inputs on the CPU."""
    run = call(subject, module, phase, gpu, subject.fed_to(gpu))
    if not run.raised:
        return run
    from_cpu = call(subject, module, phase, gpu, subject.feed().to("cpu"))
    return run if from_cpu.raised else from_cpu
