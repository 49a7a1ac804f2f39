"""An audit's module where its maker puts it: on the device that it takes, or by itself on CUDA."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec.structs import replace
from torch import nn

from grader.probe.audit.calls import FIRST_GPU, call, move_and_call
from grader.probe.audit.subject import DEVICE, AuditRun, gpus_of, parameters_of
from grader.probe.inspection.registered import is_a
from grader.probe.inspection.structure import structure_of
from grader.probe.subject import Instance, Subject
from grader.schema import Evidence, Phase, Run, Structure


def construction_on_cuda(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Construct the module on CUDA, if its maker has a parameter `device`, or puts it there anyway.

    A module that is handed out on one GPU is brought to the CPU by all steps that follow.
    """
    subject = audit.subject
    if DEVICE in parameters_of(subject.make):
        instance, raised = subject.build(make=lambda: subject.make(device=FIRST_GPU))  # type: ignore[call-arg]
        if instance is None:
            return replace(evidence, on_device_raised=raised)
        audit.cuda_instance = instance.module
        return replace(evidence, on_device=_structure(subject, instance))
    if not subject.is_copied and (evidence.structure is None or not evidence.structure.gpus):
        return evidence
    instance, _ = (
        subject.build(make=subject.factory_with_devices)
        if subject.factory_with_devices
        else (None, None)
    )
    if instance is None or len(gpus := gpus_of(instance.module)) != 1:
        return evidence
    audit.cuda_instance, audit.built_on_gpu = instance.module, gpus.pop()
    subject.make = _on_the_cpu(subject.make)
    return replace(evidence, on_device=_structure(subject, instance))


def call_where_built(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call the module that was constructed on CUDA, on inputs there.

    One whose registered tensors all stayed on the CPU only remembers the device. It is moved first:
    `Net(device=device).to(device)` is how such a module is used.
    """
    module, audit.cuda_instance = audit.cuda_instance, None
    if module is None:
        return evidence
    subject = audit.subject
    if audit.built_on_gpu:
        return evidence.with_runs(_call_handed_out(subject, module, audit.built_on_gpu))
    if not gpus_of(module):
        return evidence.with_runs(move_and_call(subject, module, Phase.BUILT_ON_CUDA, FIRST_GPU))
    inputs = subject.fed_to(FIRST_GPU)
    return evidence.with_runs(call(subject, module, Phase.BUILT_ON_CUDA, FIRST_GPU, inputs))


def _call_handed_out(subject: Subject, module: nn.Module, gpu: str) -> Run:
    """A call on inputs on the module's GPU; if it refuses those, on the CPU or as they came.

    A module that keeps a large table on the CPU brings them to each part by itself.
    """
    runs = []
    for inputs in (subject.fed_to(gpu), subject.feed().to("cpu"), subject.feed()):
        runs.append(call(subject, module, Phase.HANDED_OUT, gpu, inputs))
        if not runs[-1].raised:
            return runs[-1]
    return runs[0]


def _on_the_cpu(make: Callable[[], Any]) -> Callable[[], Any]:
    def created_on_cpu() -> Any:
        made = make()
        if is_a(made, nn.Module):
            with suppress(Exception):  # the first call on the CPU tells of one that refuses
                made.cpu()
        return made

    return created_on_cpu


def _structure(subject: Subject, instance: Instance) -> Structure:
    return structure_of(
        instance.module, subject.identities, subject.trace.position_of, instance.filled, subject.run
    )
