"""The steps of an exercise's probe: construct, move, call, train, reload, and call anew.

A batch probes an answer a second time, in a fresh process with another seed, if it earned points
and was flagged or keeps state between calls; the lower of the two reports counts
(`classroom.marking.agreed`). Threat: code that counts its instances or calls, and behaves well only
in those that are graded. The second probe takes its steps in another order (`ORDER_AGAIN`), in
which no instance serves the step that the instance of the same number serves in the first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.exercise.calls import call_on, filled_instance
from grader.probe.exercise.checkpoint import checkpoint
from grader.probe.exercise.first_calls import first_calls
from grader.probe.exercise.other_placements import by_default, elsewhere, without_gpu
from grader.probe.inspection.registered import registered_once
from grader.probe.inspection.structure import structure_of, tensors_of
from grader.probe.inspection.values import sorted_state, state_of
from grader.probe.running import Step
from grader.probe.subject import Instance, Subject
from grader.probe.training import step, trained
from grader.schema import Evidence, Movement, Stage, Structure, Training

MOVES: dict[str, Callable[[nn.Module], object]] = {
    ".cuda()": lambda module: module.cuda(),
    '.to("cuda")': lambda module: module.to("cuda"),
}


def exercise_steps(subject: Subject, again: bool = False) -> tuple[Step, ...]:
    """What is done with an answer.

    Args:
        subject: the answer.
        again: whether this is the second time, in another order: no instance that one order looks
            at is the one that the other order looks at.
    """
    order = ORDER_AGAIN if again else STAGES
    return tuple(Step(stage, partial(STAGES[stage], subject)) for stage in order)


def construction(subject: Subject, evidence: Evidence) -> Evidence:
    """Build it on the CPU and write down its structure."""
    instance, raised = subject.constructed()
    if instance is None:
        return replace(evidence, construction=raised)
    structure = _structure(subject, instance)
    if subject.dry_run(instance.module):
        paths = {fact.path for fact in structure.tensors}
        shaped = _structure(subject, instance).tensors  # with what the call may have kept
        tensors = tuple(fact for fact in shaped if fact.path in paths)
        structure = replace(structure, tensors=tensors)
    return replace(evidence, structure=structure)


def _structure(subject: Subject, instance: Instance) -> Structure:
    return structure_of(
        instance.module, subject.identities, subject.trace.position_of, instance.filled, subject.run
    )


def movement(subject: Subject, evidence: Evidence) -> Evidence:
    """Move a new instance in each way, and look where its tensors are."""
    evidence = replace(evidence, movements=tuple(_move(subject, how) for how in MOVES))
    if not subject.takes_device:
        return evidence
    return replace(evidence, by_default=by_default(subject))


def execution(subject: Subject, evidence: Evidence) -> Evidence:
    """Call one instance on the CPU and another on CUDA, from the same state."""
    on_cpu = filled_instance(subject, without_gpu(subject))
    on_cuda = filled_instance(subject)
    state = state_of(on_cpu.module)
    evidence = replace(evidence, state=state, elsewhere=elsewhere(subject))
    return evidence.with_runs(call_on(subject, on_cpu, "cpu"), call_on(subject, on_cuda, "cuda"))


def training(subject: Subject, evidence: Evidence) -> Evidence:
    """One step of SGD on CUDA, towards random targets.

    Values that hide no fault can drive a `tanh` to where it is flat, and a constructor's zeros stop
    what they are multiplied with. So what the one did not train has a second try with the other.
    """
    done = _step(subject, filled_instance(subject).module)
    if any(fact.has_gradient and not fact.changed for fact in done.tensors):
        again = _step(subject, subject.new().module).tensors
        changed = {fact.name for fact in (*done.tensors, *again) if fact.changed}
        tensors = tuple(replace(fact, changed=fact.name in changed) for fact in done.tensors)
        done = replace(done, tensors=tensors)
    return replace(evidence, training=done)


def _step(subject: Subject, module: nn.Module) -> Training:
    before: dict[str, torch.Tensor] = {}

    def train() -> None:
        subject.run(lambda: module.cuda().train())
        before.update({n: t.detach().clone() for n, t in sorted_state(module).items()})
        step(subject, module, subject.fed_to("cuda"))

    _, raised = subject.attempt_steps(train, module)
    return Training(raised, tuple(trained(registered_once(module), before)))


STAGES = {
    Stage.CONSTRUCTION: construction,
    Stage.MOVEMENT: movement,
    Stage.EXECUTION: execution,
    Stage.TRAINING: training,
    Stage.CHECKPOINT: checkpoint,
    Stage.FIRST_CALLS: first_calls,
}
ORDER_AGAIN = (
    Stage.CONSTRUCTION, Stage.FIRST_CALLS, Stage.CHECKPOINT,
    Stage.TRAINING, Stage.EXECUTION, Stage.MOVEMENT,
)  # fmt: skip


def _move(subject: Subject, how: str) -> Movement:
    module = subject.new().module
    _, raised = subject.attempt(lambda: MOVES[how](module), module)
    return Movement(how, raised, tensors_of(module, subject.identities, subject.trace.position_of))
