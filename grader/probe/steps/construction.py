"""The construction of the module: what it holds then, before anything is done with it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.likeness import are_copies, is_sinusoidal
from grader.probe.inspection.plain import is_on_meta
from grader.probe.inspection.registered import gpus_of
from grader.probe.inspection.source import Position
from grader.probe.inspection.structure import structure_of
from grader.probe.inspection.uninitialised import is_unwritten
from grader.probe.inspection.values import is_sized
from grader.probe.inspection.walk import Walk
from grader.probe.session import Instance, Session, Spare
from grader.probe.steps.from_meta import is_lost
from grader.probe.steps.optimizers import optimizers_of
from grader.probe.steps.resumed import load_themselves
from grader.schema import Evidence, Raised, Structure, TensorFact

ON_META = (
    "All that it registers is on the meta device, without values. Audit it as it is built "
    "elsewhere, or a function that gives it memory and loads a checkpoint."
)


def construction(session: Session, evidence: Evidence) -> Evidence:
    """Construct the module on the CPU, and look at it.

    The shapes of a lazy module are those after its first call; what that call kept is no part of
    what was constructed.
    """
    instance, raised = session.build(is_shaped=False)
    if instance and _factory_is_cached(session, instance):
        session.take_copies_of(instance.module)
        instance, raised = session.build(is_shaped=False)
    if instance is None:
        return replace(evidence, construction=raised)
    session.spares[Spare.DESCRIBED] = instance
    walk = Walk(instance.module)
    structure = _structure(session, instance, walk)
    if session.dry_run(instance.module):
        paths = {fact.path for fact in structure.tensors}
        walk = Walk(instance.module)
        shaped = _structure(session, instance, walk).tensors
        structure = replace(structure, tensors=tuple(f for f in shaped if f.path in paths))
    if session.is_audited:
        return _looked_at_closely(session, evidence, structure, instance.module, walk)
    return replace(evidence, structure=structure)


def _looked_at_closely(
    session: Session, evidence: Evidence, structure: Structure, module: nn.Module, walk: Walk
) -> Evidence:
    """The evidence with the structure, and with what only an audit asks of it.

    Parameters that start with a table of sines and cosines look like constants. A second instance,
    of another seed, tells which of those tables do not depend on the seed.
    """
    registered = {id(found.tensor): found for found in walk.reached if found.role != "plain"}
    if registered and all(is_on_meta(found.tensor) for found in registered.values()):
        return replace(evidence, construction=Raised.problem(ON_META))
    tables = {} if session.subject.is_copied else _sinusoidal_tables(walk)
    if tables:
        fixed = _repeated(tables, session.new(session.subject.seed + 1))
        tensors = (replace(fact, fixed=fact.path in fixed) for fact in structure.tensors)
        structure = replace(structure, tensors=tuple(tensors))
    structure = replace(
        structure,
        unwritten=tuple(_unwritten(session, walk, len(registered))),
        loads_itself=load_themselves(walk.registered),
        holds_optimizers=any(True for _ in optimizers_of(module)),
    )
    return replace(evidence, structure=structure)


def _factory_is_cached(session: Session, instance: Instance) -> bool:
    """Whether the maker is a function that gives the same module each time, as a cached one does.

    One on several GPUs is only called where it is.
    """
    subject = session.subject
    makes_by_itself = subject.make_where_it_belongs is not None and not subject.is_copied
    if not makes_by_itself or len(gpus_of(instance.module)) > 1:
        return False
    again, _ = session.build()
    return again is not None and again.module is instance.module


def _structure(session: Session, instance: Instance, walk: Walk) -> Structure:
    structure = structure_of(
        instance.module,
        session.identities,
        session.trace.position_of,
        instance.filled,
        session.run,
        walk,
    )
    if not session.trace.rebound:
        return structure
    rebound = {
        session.identities.known(key): at.position for key, (_, at) in session.trace.rebound.items()
    }
    return replace(structure, tensors=tuple(_with_data_position(structure.tensors, rebound)))


def _with_data_position(
    facts: Iterable[TensorFact], rebound: dict[int, Position]
) -> Iterator[TensorFact]:
    """Each fact; of a tensor whose `.data` was assigned, with the position of that line."""
    for fact in facts:
        file, line = rebound.get(fact.identity, (fact.file, fact.line))
        yield replace(fact, file=file, line=line)


def _unwritten(session: Session, walk: Walk, registered: int) -> Iterator[str]:
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
    as_made = session.new(make=inspect.unwrap(session.subject.make)).module
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
        path for path, table in tables.items() if path in twins and are_copies(table, twins[path])
    }
