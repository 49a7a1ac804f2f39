"""Runs the steps of one probe, and reports the evidence before each step.

So if the code crashes or hangs the process, the parent has all facts up to that step.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy.random
import torch
from msgspec.structs import replace

from grader.probe.attempts import is_user_interrupt
from grader.probe.constructed import explain_known_error
from grader.probe.defaults import cpu_and_gradients
from grader.probe.inspection.exceptions import describe_exception
from grader.probe.printed import OutputLimitError, Printed, into
from grader.probe.running import Runner
from grader.probe.sequence import Step, steps_for
from grader.probe.session import PATIENCE, Session
from grader.probe.subject import Subject
from grader.schema import Evidence, Location, Raised, Stage
from grader.simulated_cuda import compile_was_requested

DEEPEST_RECURSION = 5_000
SELDOM = 1_000_000  # collections of the middle generation before a full one


def run_probe(
    subject: Subject,
    device: str,
    steps: tuple[Step, ...] | None = None,
    printed: Printed | None = None,
    tell: Callable[[Evidence], None] | None = None,
    guard: Runner | None = None,
    patience: float = PATIENCE,
) -> Evidence:
    """All the facts about `subject`.

    Args:
        subject: the module, its inputs and seed.
        device: the label of the device that `"cuda"` is now.
        steps: what to do, in order; all that the subject wants, unless given.
        printed: where the learner's prints go.
        tell: called with the evidence so far, before every step.
        guard: runs the learner's code apart from the probe, if there is need to.
        patience: seconds after which optional steps are skipped.
    """
    session = Session(
        subject, guard, patience=patience
    )  # only now: the device may have been compiled
    printed = printed or Printed()
    evidence = Evidence(device=device, torch=str(torch.__version__), seed=subject.seed)
    so_far = [evidence]

    def note(evidence: Evidence) -> None:
        so_far.append(evidence)
        if tell:
            tell(replace(evidence, printed=printed.beginning, **_known_sources(session)))

    try:
        with into(printed), torch_as_it_was():
            evidence = _gather(session, evidence, steps or steps_for(subject), note)
    except OutputLimitError:
        evidence = replace(so_far[-1], ending="output_limit")
    return replace(
        evidence,
        printed=printed.beginning,
        uncompiled=compile_was_requested(),
        left_on=tuple(session.left_on.items()),
        constructions=tuple(session.constructions),
        **_known_sources(session),
    )


def _known_sources(session: Session) -> dict[str, Any]:
    """The files and classes that are known by now."""
    classes = (Location(name, file=file) for file, name in sorted(session.classes))
    return {"files": tuple(sorted(session.files)), "classes": tuple(classes)}


def _gather(
    session: Session,
    evidence: Evidence,
    steps: tuple[Step, ...],
    tell: Callable[[Evidence], None],
) -> Evidence:
    is_broken = False
    for step in steps:
        if is_broken and step.stage is not Stage.AUDIT:
            continue
        evidence = replace(evidence, stage=step.stage)
        if step.is_told:
            tell(evidence)
        evidence, is_broken = _with_facts(step, session, evidence)
        if evidence.construction:
            break
    return evidence


def _with_facts(step: Step, session: Session, evidence: Evidence) -> tuple[Evidence, bool]:
    """Run one step, and record what it raises unexpectedly; whether its part ends there.

    1. Raised in a line of the learner's: `broken`, with that line.
    2. A mistake in the module that `explain_known_error` knows: `broken`, with an explanation.
    3. Anything else is the grader's own fault, so the step counts as skipped.

    So does an exercise's audit that the learner's code breaks: its own steps have been taken.
    """
    try:
        with session.gradients(evidence.baseline.needs_gradients):
            return step.run(session, evidence), False
    except OutputLimitError:
        raise
    except BaseException as error:
        if is_user_interrupt(error):
            raise
        raised = describe_exception(error, session.files, session.run)
        why = "" if raised.line else explain_known_error(error, session.subject.make, session.run)
        broken = raised if raised.line else Raised.problem(why) if why else None
        if broken and step.is_told:
            return replace(evidence, broken=broken), True
        what, is_memory = f"{raised.type}: {raised.message}", raised.is_out_of_memory
        skipped = evidence.without(
            step.stage, why or what, is_fault=broken is None, is_memory=is_memory
        )
        return skipped, broken is not None


@contextmanager
def torch_as_it_was() -> Iterator[None]:
    """Set the default device to the CPU within the block, and restore global state afterwards.

    Restored are grad mode, default dtype and device, the recursion limit, and the random state of
    Python, NumPy, PyTorch on the CPU and on CUDA.
    """
    dtype, state = torch.get_default_dtype(), random.getstate()
    arrays, depth = numpy.random.get_state(), sys.getrecursionlimit()
    on_cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    sys.setrecursionlimit(max(depth, DEEPEST_RECURSION))  # deepcopy takes several frames a level
    with torch.random.fork_rng(devices=[]), cpu_and_gradients():
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            random.setstate(state)
            numpy.random.set_state(arrays)
            if on_cuda:
                torch.cuda.set_rng_state_all(on_cuda)
            sys.setrecursionlimit(depth)


@contextmanager
def no_full_collections() -> Iterator[None]:
    """Put off full collections of garbage: each would go through PyTorch's half a million objects.

    Young objects are collected as ever. A child need not put them off: it freezes what it inherits.
    """
    young, middle, full = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(young, middle, full)
