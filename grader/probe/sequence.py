"""The steps of a probe, in order: an audit takes all, an exercise those that its recipe wants.

A batch probes an answer a second time, in a fresh process with another seed, if it earned points
and was flagged or keeps state between calls; the lower of the two reports counts
(`classroom.marking.agreed`). Threat: code that counts its instances or calls, and behaves well only
in those that are graded. The second probe takes its steps in another order (`ORDER_AGAIN`), in
which no instance serves the step that the instance of the same number serves in the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from grader.probe.session import Session
from grader.probe.steps.calls_on_cuda import (
    call_where_built,
    calls_on_cuda,
    device_moves,
    in_place,
    is_split,
    part_of_another,
    train_on_cuda,
)
from grader.probe.steps.checkpoint import checkpoint
from grader.probe.steps.constants import constants
from grader.probe.steps.construction import construction
from grader.probe.steps.construction_on_cuda import construction_on_cuda
from grader.probe.steps.control import control
from grader.probe.steps.cpu_baseline import cpu_baseline
from grader.probe.steps.execution import execution
from grader.probe.steps.filled_training import filled_training
from grader.probe.steps.first_calls import first_calls
from grader.probe.steps.from_meta import from_meta
from grader.probe.steps.movement import move_to_cuda, moves_in_each_way
from grader.probe.steps.optimizers import optimizers
from grader.probe.steps.replica import replica
from grader.probe.steps.resumed import resumed
from grader.probe.steps.second_names import second_names
from grader.probe.steps.training import train_and_reload
from grader.probe.subject import Subject
from grader.schema import Evidence, Stage

Work = Callable[[Session, Evidence], Evidence]


class Step(NamedTuple):
    """One step.

    Attributes:
        stage: how reports call it.
        run: given the evidence so far, gives it with what this step saw.
        is_told: whether what is known is sent before it, in case that the code ends the process.
    """

    stage: Stage
    run: Work
    is_told: bool = True


def steps_for(subject: Subject, again: bool = False) -> tuple[Step, ...]:
    """What is done with a subject.

    Args:
        subject: the module.
        again: whether this is the second probe of an answer, in another order: no instance that one
            order looks at is the one that the other order looks at.
    """
    if subject.recipe is None:
        return WHOLE_AUDIT if subject.feed else STRUCTURE_ALONE
    steps = tuple(EXERCISE[stage] for stage in (ORDER_AGAIN if again else EXERCISE))
    return (*steps, *CLOSER_LOOK) if subject.recipe.thorough else steps


def _unless_split(run: Work) -> Work:
    """`run`, for modules that are on one device: to move another one would undo what it is."""

    def run_unless_split(session: Session, evidence: Evidence) -> Evidence:
        return evidence if is_split(evidence) else run(session, evidence)

    return run_unless_split


def _in_time(stage: Stage, run: Work) -> Step:
    """A step that is skipped, and recorded as skipped, if those before it took too long."""

    def run_in_time(session: Session, evidence: Evidence) -> Evidence:
        if session.is_late:
            return evidence.without(stage, f"{session.seconds:.0f} s were used up")
        return _unless_split(run)(session, evidence)

    return Step(stage, run_in_time)


def _audited(session: Session, evidence: Evidence) -> Evidence:
    return replace(evidence, is_audited=True)


BUILT_ON_CUDA = Step(Stage.CONSTRUCTION_ON_CUDA, construction_on_cuda)
BUILT_AND_MOVED = (
    Step(Stage.CONSTRUCTION, construction),
    BUILT_ON_CUDA,
    Step(Stage.MOVE_TO_CUDA, _unless_split(move_to_cuda)),
)
OPTIMIZERS = _in_time(Stage.OPTIMIZERS, optimizers)
CONSTANTS = _in_time(Stage.CONSTANTS, constants)
STRUCTURE_ALONE = (*BUILT_AND_MOVED, CONSTANTS, OPTIMIZERS)
CALLED = (
    Step(Stage.IN_PLACE, in_place),
    Step(Stage.CPU_BASELINE, _unless_split(cpu_baseline)),
    Step(Stage.DEVICE_MOVES, _unless_split(device_moves)),
    _in_time(Stage.CONTROL, control),
    _in_time(Stage.CALLS_ON_CUDA, calls_on_cuda),
    _in_time(Stage.CALL_WHERE_BUILT, call_where_built),
    _in_time(Stage.PART_OF_ANOTHER, part_of_another),
    CONSTANTS,
    _in_time(Stage.SECOND_NAMES, second_names),
    _in_time(Stage.REPLICA, replica),
    _in_time(Stage.FROM_META, from_meta),
    _in_time(Stage.TRAINING_AND_CHECKPOINT, train_and_reload),
    _in_time(Stage.TRAINING_ON_CUDA, train_on_cuda),
    OPTIMIZERS,
    _in_time(Stage.RESUMED, resumed),
)
WHOLE_AUDIT = (*BUILT_AND_MOVED, *CALLED)
EXERCISE = {
    Stage.CONSTRUCTION: Step(Stage.CONSTRUCTION, construction),
    Stage.MOVEMENT: Step(Stage.MOVEMENT, moves_in_each_way),
    Stage.EXECUTION: Step(Stage.EXECUTION, execution),
    Stage.TRAINING: Step(Stage.TRAINING, filled_training),
    Stage.CHECKPOINT: Step(Stage.CHECKPOINT, checkpoint),
    Stage.FIRST_CALLS: Step(Stage.FIRST_CALLS, first_calls),
}
ORDER_AGAIN = (
    Stage.CONSTRUCTION, Stage.FIRST_CALLS, Stage.CHECKPOINT,
    Stage.TRAINING, Stage.EXECUTION, Stage.MOVEMENT,
)  # fmt: skip
# What an exercise asks in its own way: with values that hide no fault, on CUDA.
OF_AUDITS = (Stage.CONSTANTS, Stage.FROM_META, Stage.TRAINING_ON_CUDA)
# Of an exercise, an audit's steps are told as one.
CLOSER_LOOK = (
    Step(Stage.AUDIT, _audited),
    *(s._replace(is_told=False) for s in (BUILT_ON_CUDA, *CALLED) if s.stage not in OF_AUDITS),
)
