"""An audit's module that holds a buffer under a second name: whether a move parts the two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.calls import call
from grader.probe.inspection.plain import plain
from grader.probe.inspection.walk import Walk
from grader.probe.session import Session
from grader.schema import Evidence, Phase, Run, Structure

Pair = tuple[str, str]  # the paths of a plain attribute and of a buffer


def second_names(session: Session, evidence: Evidence) -> Evidence:
    """If an attribute shares a buffer's memory: which pairs are one on the CPU, and two on CUDA.

    One instance is called in train mode on the CPU, another after a move. A pair counts if the
    first call changes both, and the second reads the attribute and leaves the two with different
    numbers. So a constant does not count, nor an attribute that `forward` sets to the buffer again.
    """
    pairs = set(_pairs(evidence.structure or Structure()))
    if not pairs:
        return evidence
    pairs &= set(_still_one(session, pairs))
    return replace(evidence, parted=tuple(sorted(_parted(session, pairs)))) if pairs else evidence


def _pairs(structure: Structure) -> Iterator[Pair]:
    buffers = {fact.storage: fact.path for fact in structure.tensors if fact.role == "buffer"}
    for fact in structure.tensors:
        if fact.role == "plain" and fact.storage in buffers and fact.storage:
            yield fact.path, buffers[fact.storage]


def _still_one(session: Session, pairs: set[Pair]) -> Iterator[Pair]:
    """Those that still share memory after a call on the CPU, which changed it."""
    module = session.new().module
    before = {path: tensor.detach().clone() for path, tensor in _tensors(module, pairs).items()}
    run = _train_once(session, module, "cpu")
    if run.raised:
        return
    after = _tensors(module, pairs)
    for name, buffer in pairs & set(product(after, after)):
        is_one = after[name].data_ptr() == after[buffer].data_ptr()
        if is_one and not torch.equal(before[buffer], after[buffer]):
            yield name, buffer


def _parted(session: Session, pairs: set[Pair]) -> Iterator[Pair]:
    """Those that a call on CUDA left with different numbers, and of which it read the attribute."""
    module = session.new().module
    module.to("cuda:0")
    if _train_once(session, module, "cuda:0").raised:
        return
    after = _tensors(module, pairs)
    for name, buffer in pairs & set(product(after, after)):
        is_read = id(after[name]) in session.trace.now.read
        if is_read and not torch.equal(after[name].cpu(), after[buffer].cpu()):
            yield name, buffer


def _train_once(session: Session, module: nn.Module, device: str) -> Run:
    """A call in train mode."""
    session.run(lambda: module.train(True))
    return call(session, module, Phase.TRAIN_MODE, device, session.fed_to(device))


def _tensors(module: nn.Module, pairs: set[Pair]) -> dict[str, torch.Tensor]:
    """The tensors at the paths of the pairs."""
    paths = {path for pair in pairs for path in pair}
    return {r.path: plain(r.tensor) for r in Walk(module).reached if r.path in paths}
