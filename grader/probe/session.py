"""One probe from beginning to end: every stage in turn, each fact told as soon as it is known."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy.random
import torch

from grader.evidence import Evidence, Raised
from grader.inspection.source import describe_exception
from grader.probe.audit.stages import AUDIT_STAGES
from grader.probe.exercise.stages import STAGES, Stage
from grader.probe.printed import OutputLimitError, Printed, into
from grader.probe.puzzles import explain
from grader.probe.running import TamperedError
from grader.probe.subject import Subject, is_a_persons_interrupt
from grader.simulated_cuda.common import compiling

DEEPEST_RECURSION = 5_000


def run_probe(
    subject: Subject,
    device: str,
    stages: tuple[Stage, ...] = STAGES,
    printed: Printed | None = None,
    tell: Callable[[Evidence], None] = lambda _: None,
) -> Evidence:
    """All the facts about `subject`.

    Args:
        subject: the module, its inputs and seed.
        device: the label of the device that `"cuda"` is now.
        stages: what to do, in order.
        printed: where the learner's prints go.
        tell: called with the evidence so far, before every stage.
    """
    printed = printed or Printed()
    evidence = Evidence(device=device, torch=str(torch.__version__), seed=subject.seed)
    so_far = [evidence]

    def note(evidence: Evidence) -> None:
        so_far.append(replace(evidence, printed=printed.beginning))
        tell(so_far[-1])

    try:
        with into(printed), torch_as_it_was():
            evidence = _gather(subject, evidence, stages, note)
            if subject.thorough and not evidence.construction:
                note(replace(evidence, stage="audit"))
                audit = _gather(subject, so_far[0], AUDIT_STAGES, lambda _: None)
                evidence = replace(evidence, audit=audit)
    except OutputLimitError:
        evidence = replace(so_far[-1], ending="output_limit")
    except TamperedError as error:
        evidence = replace(so_far[-1], ending="tampered", detail=str(error))
    return replace(
        evidence,
        printed=printed.beginning,
        uncompiled=compiling.was_requested(),
        constructions=tuple(subject.constructions),
    )


def _gather(
    subject: Subject,
    evidence: Evidence,
    stages: tuple[Stage, ...],
    tell: Callable[[Evidence], None],
) -> Evidence:
    for stage in stages:
        evidence = replace(evidence, stage=stage.__name__)
        tell(evidence)
        facts = _facts(stage, subject)
        for grows in ("runs", "skipped"):
            facts[grows] = (*getattr(evidence, grows), *facts.get(grows, ()))
        evidence = replace(evidence, **facts)
        if evidence.construction or evidence.broken:
            break
    return evidence


def _facts(stage: Stage, subject: Subject) -> dict[str, Any]:
    """What a stage found; what the learner's code raised where none expects it is a fact too."""
    try:
        return stage(subject)
    except (OutputLimitError, TamperedError):
        raise
    except BaseException as error:
        if is_a_persons_interrupt(error):
            raise
        raised = describe_exception(error, subject.files, subject.run)
        if raised.line:
            return {"broken": raised}
        if stage in STAGES and (why := explain(error, subject.make, subject.run)):
            return {"broken": Raised.problem(why)}
        return {"skipped": (f"{stage.__name__}: {raised.type}: {raised.message}",)}


@contextmanager
def torch_as_it_was() -> Iterator[None]:
    """Begin with PyTorch's default device; put the caller's state and defaults back afterwards."""
    gradients, dtype, state = torch.is_grad_enabled(), torch.get_default_dtype(), random.getstate()
    device = torch.get_default_device()
    torch.set_default_device(None)
    arrays, depth = numpy.random.get_state(), sys.getrecursionlimit()
    on_cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    sys.setrecursionlimit(max(depth, DEEPEST_RECURSION))  # copies go deeper than the modules do
    with torch.random.fork_rng(devices=[]):
        torch.set_grad_enabled(True)
        try:
            yield
        finally:
            torch.set_grad_enabled(gradients)
            torch.set_default_dtype(dtype)
            torch.set_default_device(None if device.type == "cpu" else device)
            random.setstate(state)
            numpy.random.set_state(arrays)
            if on_cuda:
                torch.cuda.set_rng_state_all(on_cuda)
            sys.setrecursionlimit(depth)
