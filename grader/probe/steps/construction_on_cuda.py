"""A module where its maker puts it: on the device that it takes, or by itself on CUDA."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace
from torch import nn

from grader.probe.audited import DEVICE, parameters_of
from grader.probe.calls import FIRST_GPU
from grader.probe.inspection.registered import gpus_of, table
from grader.probe.inspection.source import assignment_of, by_class, class_tree, file_of
from grader.probe.session import Instance, Session, Spare
from grader.schema import Evidence, Placed, TensorFact

BY_ARGUMENT = 'with `device="cuda:0"`'


def construction_on_cuda(session: Session, evidence: Evidence) -> Evidence:
    """Construct the module on CUDA, if its maker has a parameter `device`, or puts it there anyway.

    A module that is handed out on one GPU is brought to the CPU by all steps that follow.
    """
    if DEVICE in parameters_of(session.subject.make):
        instance, raised = session.build(make=partial(session.subject.make, device=FIRST_GPU))
        facts: tuple[TensorFact, ...] = ()
        if instance:
            session.spares[Spare.BUILT_ON_CUDA] = instance
            made = session.tensors_of(instance.module, with_sites=True)
            facts = tuple(_without_device(fact, instance.module) for fact in made)
        return replace(evidence, on_device=Placed(BY_ARGUMENT, raised, facts))
    is_on_cuda = evidence.structure is not None and bool(evidence.structure.gpus)
    if not (session.subject.is_copied or is_on_cuda):
        return evidence
    instance = handed_out(session)
    if instance is None or len(gpus_of(instance.module)) != 1:
        return evidence
    session.spares[Spare.BUILT_ON_CUDA] = instance
    session.bring_instances_to_the_cpu()
    tensors = session.tensors_of(instance.module, with_sites=True)
    return replace(evidence, on_device=Placed("as its maker leaves it", None, tensors))


def handed_out(session: Session) -> Instance | None:
    """An instance where its maker leaves it, unasked."""
    make = session.subject.make_where_it_belongs
    return session.build(make=make)[0] if make else None


def _without_device(fact: TensorFact, module: nn.Module) -> TensorFact:
    """`fact` with the outermost line that hands no device on, if its own class did not make it.

    Its own line may be in a helper or in the class of a child, and the device was lost before.
    """
    *children, _ = fact.name.split(".") if fact.name and fact.device == "cpu" else [""]
    for name in children:
        cls: type = type(module)
        at = assignment_of(cls, name)
        is_its = fact.file == file_of(cls) and fact.line in _lines_of(cls)
        if at.line and DEVICE not in at.value and not is_its:
            return replace(fact, line=at.line, file=at.file)
        module = table(module, "_modules")[name]
    return fact


@by_class
def _lines_of(cls: type) -> range:
    tree = class_tree(cls)
    return range(tree.lineno, (tree.end_lineno or 0) + 1) if tree else range(0)
