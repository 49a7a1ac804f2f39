"""An audit's module where its constructor puts it, if that takes a device."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from grader.evidence import Evidence, Phase
from grader.inspection.registered import registered_once
from grader.inspection.structure import structure_of
from grader.probe.audit.calls import call, move_and_call
from grader.probe.audit.run import AuditRun
from grader.probe.audit.subject import DEVICE, parameters_of

CUDA = "cuda:0"


def construction_on_cuda(audit: AuditRun, evidence: Evidence) -> Evidence:
    """If the constructor has a parameter `device`: construct the module on CUDA."""
    subject = audit.subject
    if DEVICE not in parameters_of(subject.make):
        return evidence
    instance, raised = subject.build(make=lambda: subject.make(device=CUDA))  # type: ignore[call-arg]
    if instance is None:
        return replace(evidence, on_device_raised=raised)
    audit.built = instance.module
    structure = structure_of(
        instance.module, subject.identities, subject.trace.position_of, instance.filled, subject.run
    )
    return replace(evidence, on_device=structure)


def call_where_built(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Call the module that was constructed on CUDA, on inputs there.

    One whose registered tensors all stayed on the CPU only remembers the device. It is moved first:
    `Net(device=device).to(device)` is how such a module is used.
    """
    module, audit.built = audit.built, None
    if module is None:
        return evidence
    subject = audit.subject
    if _is_unplaced(module):
        return evidence.with_runs(move_and_call(subject, module, Phase.BUILT_ON_CUDA, CUDA))
    inputs = subject.fed_to(CUDA)
    return evidence.with_runs(call(subject, module, Phase.BUILT_ON_CUDA, CUDA, inputs))


def _is_unplaced(module: nn.Module) -> bool:
    return all(entry.tensor.device.type == "cpu" for entry in registered_once(module))
