"""The stages of an audit: what to do with a module that no rubric describes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import nn

from grader.probe.audit.construction_on_cuda import call_where_built, construction_on_cuda
from grader.probe.audit.control import control
from grader.probe.audit.cpu_baseline import cpu_baseline
from grader.probe.audit.device_moves import (
    calls_on_cuda,
    device_moves,
    part_of_another,
)
from grader.probe.audit.in_place import in_place, unless_split
from grader.probe.audit.meta import from_meta, is_lost
from grader.probe.audit.replicas import replica
from grader.probe.audit.resumed import load_themselves, optimizers, optimizers_of, resumed
from grader.probe.audit.second_names import second_names
from grader.probe.audit.sharing import complete_movement, is_all_registered, survives_moves
from grader.probe.audit.subject import AuditRun, gpus_of, take_copies_of
from grader.probe.audit.training import train_and_reload
from grader.probe.audit.training_on_cuda import train_on_cuda
from grader.probe.audit.uninitialised import is_unwritten
from grader.probe.inspection.plain import is_on_meta
from grader.probe.inspection.source import Position
from grader.probe.inspection.structure import (
    equal_and_not_constant,
    is_sinusoidal,
    structure_of,
    tensors_of,
)
from grader.probe.inspection.values import is_sized
from grader.probe.inspection.walk import Walk
from grader.probe.running import Step
from grader.probe.subject import Instance, Subject
from grader.schema import Evidence, Movement, Raised, Stage, Structure, TensorFact

ON_META = (
    "All that it registers is on the meta device, without values. Audit it as it is built "
    "elsewhere, or a function that gives it memory and loads a checkpoint."
)


def audit_steps(subject: Subject, is_called: bool = True) -> tuple[Step, ...]:
    """The steps of an audit, in order.

    Args:
        subject: the module.
        is_called: whether there are inputs to call it with.
    """
    audit = AuditRun(subject)
    constructions = (
        Step(Stage.CONSTRUCTION, partial(construction, audit)),
        Step(Stage.CONSTRUCTION_ON_CUDA, partial(construction_on_cuda, audit)),
    )
    move = Step(Stage.MOVE_TO_CUDA, partial(unless_split(move_to_cuda), audit))
    if not is_called:
        return *constructions, move, Step(Stage.OPTIMIZERS, partial(optimizers, audit))
    return (
        *constructions,
        Step(Stage.MOVE_TO_CUDA, partial(unless_split(move_unless_whole), audit)),
        Step(Stage.IN_PLACE, partial(in_place, audit)),
        Step(Stage.CPU_BASELINE, partial(unless_split(cpu_baseline), audit)),
        Step(Stage.DEVICE_MOVES, partial(unless_split(device_moves), audit)),
        move,
        _in_time(audit, Stage.CONTROL, control),
        _in_time(audit, Stage.CALLS_ON_CUDA, calls_on_cuda),
        _in_time(audit, Stage.CALL_WHERE_BUILT, call_where_built),
        _in_time(audit, Stage.PART_OF_ANOTHER, part_of_another),
        _in_time(audit, Stage.SECOND_NAMES, second_names),
        _in_time(audit, Stage.REPLICA, replica),
        _in_time(audit, Stage.FROM_META, from_meta),
        _in_time(audit, Stage.TRAINING_AND_CHECKPOINT, train_and_reload),
        _in_time(audit, Stage.TRAINING_ON_CUDA, train_on_cuda),
        _in_time(audit, Stage.OPTIMIZERS, optimizers),
        _in_time(audit, Stage.RESUMED, resumed),
    )


def _in_time(audit: AuditRun, stage: Stage, run: Callable[[AuditRun, Evidence], Evidence]) -> Step:
    """A step that is skipped, and recorded as skipped, if those before it took too long."""

    def run_in_time(evidence: Evidence) -> Evidence:
        if audit.subject.is_late:
            return evidence.without(stage, f"{audit.subject.seconds:.0f} s were used up")
        return unless_split(run)(audit, evidence)

    return Step(stage, run_in_time)


def construction(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Construct the module, and look at it.

    Parameters that start with a table of sines and cosines look like constants. A second instance,
    of another seed, tells which of those tables do not depend on the seed.
    """
    subject = audit.subject
    instance, raised = subject.build()
    if instance and _factory_is_cached(audit, instance):
        take_copies_of(subject, instance.module)
        instance, raised = subject.build()
    if instance is None:
        return replace(evidence, construction=raised)
    walk = Walk(instance.module)
    registered = {id(found.tensor): found for found in walk.reached if found.role != "plain"}
    if registered and all(is_on_meta(found.tensor) for found in registered.values()):
        return replace(evidence, construction=Raised.problem(ON_META))
    structure = _structure(subject, instance, walk)
    tables = {} if subject.is_copied else _sinusoidal_tables(walk)
    if tables:
        fixed = _repeated(tables, subject.new(subject.seed + 1))
        tensors = (replace(fact, fixed=fact.path in fixed) for fact in structure.tensors)
        structure = replace(structure, tensors=tuple(tensors))
    structure = replace(structure, unwritten=tuple(_unwritten(subject, walk, len(registered))))
    audit.cpu_instance = instance
    audit.loads_itself = load_themselves(walk.registered)
    audit.holds_optimizers = any(True for _ in optimizers_of(instance.module))
    return replace(evidence, structure=structure)


def _factory_is_cached(audit: AuditRun, instance: Instance) -> bool:
    """Whether the maker is a function that gives the same module each time, as a cached one does.

    One on several GPUs is only called where it is.
    """
    subject = audit.subject
    if (
        subject.factory_with_devices is None
        or subject.is_copied
        or len(gpus_of(instance.module)) > 1
    ):
        return False
    with subject.untraced():
        again, _ = subject.build()
    if again is not None and again.module is instance.module:
        return True
    audit.second_instance = again
    return False


def move_to_cuda(audit: AuditRun, evidence: Evidence) -> Evidence:
    """Move a new instance, and look where its tensors are.

    Only a trace tells which line made what stays behind.
    """
    if evidence.movements:
        return evidence
    subject, spare, audit.second_instance = audit.subject, audit.second_instance, None
    if _moves_as_a_whole(evidence):
        with subject.untraced():
            module, raised = _moved_instance(subject, spare)
        if raised is None and (movement := complete_movement(subject, module)):
            audit.moved_instance = module
            return replace(evidence, movements=(movement,))
    module, raised = _moved_instance(subject)
    tensors = tensors_of(module, subject.identities, subject.trace.position_of)
    audit.moved_instance, audit.is_moved_traced = None if raised else module, True
    return replace(evidence, movements=(Movement(".cuda()", raised, tensors),))


def move_unless_whole(audit: AuditRun, evidence: Evidence) -> Evidence:
    """As `move_to_cuda`; what moves as a whole is looked at where it is moved for its calls."""
    return evidence if _moves_as_a_whole(evidence) else move_to_cuda(audit, evidence)


def _moves_as_a_whole(evidence: Evidence) -> bool:
    """Whether a move is expected to take all that the module leads to."""
    return survives_moves(evidence) and is_all_registered(evidence)


def _moved_instance(
    subject: Subject, spare: Instance | None = None
) -> tuple[nn.Module, Raised | None]:
    """A new instance, or the spare one, on CUDA, and what the move raised."""
    module = (subject.new() if spare is None else spare).module
    _, raised = subject.attempt(lambda: module.cuda(), module)
    return module, raised


def _structure(subject: Subject, instance: Instance, walk: Walk) -> Structure:
    structure = structure_of(
        instance.module,
        subject.identities,
        subject.trace.position_of,
        instance.filled,
        subject.run,
        walk,
    )
    if not subject.trace.rebound:
        return structure
    rebound = {subject.identities.known(key): at for key, at in subject.trace.rebound.items()}
    return replace(structure, tensors=tuple(_with_data_position(structure.tensors, rebound)))


def _with_data_position(
    facts: Iterable[TensorFact], rebound: dict[int, Position]
) -> Iterator[TensorFact]:
    """Each fact; of a tensor whose `.data` was assigned, with the position of that line."""
    for fact in facts:
        file, line = rebound.get(fact.identity, (fact.file, fact.line))
        yield replace(fact, file=file, line=line)


def _unwritten(subject: Subject, walk: Walk, registered: int) -> Iterator[str]:
    """The tensors that no code of the module wrote; see `Structure.unwritten`.

    `torch.empty` gives whatever lay in the memory, so a forgotten write shows by chance alone. The
    instance at hand was therefore built while fresh memory was filled with NaN
    (`uninitialised.py`), and is looked through for what is still NaN:

    1. What is on the meta device has no values. It counts, unless all that is registered is there:
       such a module waits for a checkpoint.
    2. Of the rest, only what no checkpoint restores: a checkpoint writes the others.
    3. What is NaN in an instance that was built without our filling is meant to be NaN.
    """
    on_meta = [found for found in walk.reached if is_on_meta(found.tensor)]
    if len(on_meta) < registered:
        yield from (found.path for found in on_meta)
    maybe_lost = (found for found in walk.reached if is_lost(found.role, found.persistent))
    lost = [found for found in maybe_lost if is_unwritten(found.tensor)]
    if all(is_on_meta(found.tensor) for found in lost):
        return
    as_made = subject.new(make=inspect.unwrap(subject.make)).module
    meant = {found.path for found in Walk(as_made).reached if is_unwritten(found.tensor)}
    yield from (f.path for f in lost if not is_on_meta(f.tensor) and f.path not in meant)


def _sinusoidal_tables(walk: Walk) -> dict[str, torch.Tensor]:
    """The Parameters with a table of sines and cosines, by path.

    Other values that do not depend on the seed are no sign of a constant: many a trained Parameter
    starts with `torch.linspace`, `torch.eye` or the like.
    """
    return {
        found.path: found.tensor.detach()
        for found in walk.reached
        if isinstance(found.tensor, nn.Parameter)
        and is_sized(found.tensor)
        and is_sinusoidal(found.tensor.detach())
    }


def _repeated(tables: dict[str, torch.Tensor], other: Instance) -> set[str]:
    """The paths of the tables that another instance has as well."""
    twins = {found.path: found.tensor.detach() for found in Walk(other.module).reached}
    return {
        path
        for path, table in tables.items()
        if path in twins and equal_and_not_constant(table, twins[path])
    }
