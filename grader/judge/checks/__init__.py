"""The scored lines, a module each: a check lists what is wrong, and passes if nothing is."""

from __future__ import annotations

from collections.abc import Callable

from grader.judge.checks.buffers import buffers
from grader.judge.checks.forward import forward
from grader.judge.checks.graded_answer import GradedAnswer, Problems
from grader.judge.checks.parameters import parameters
from grader.judge.checks.placement import placement
from grader.judge.checks.state_dict import state_dict
from grader.judge.checks.training import checkpoint, training
from grader.judge.initial_state import (
    InitialState,
    problems_of_initial_state,
    problems_of_library_weights,
)
from grader.schema import Check, CheckName, Evidence, Phase

__all__ = ["GradedAnswer", "run_checks"]


def run_checks(
    answer: GradedAnswer, initial_state: InitialState | None = None
) -> tuple[Check, ...]:
    """Every check that the rubric gives points for, in its order.

    Args:
        answer: what the checks read.
        initial_state: what a new instance should hold and give, None to leave that out.
    """
    evidence, rubric = answer.evidence, answer.rubric
    initial_state = initial_state or InitialState()
    wrong = list(problems_of_initial_state(evidence, rubric, initial_state))
    minor = list(problems_of_library_weights(evidence, rubric, initial_state))
    return tuple(_check(name, answer, _of(name, wrong), _of(name, minor)) for name in rubric.points)


def _of(name: CheckName, problems: list[tuple[CheckName, str]]) -> list[str]:
    return [message for check, message in problems if check == name]


def _check(name: CheckName, answer: GradedAnswer, wrong: list[str], minor: list[str]) -> Check:
    """A scored line.

    Args:
        name: the check's.
        answer: what it reads.
        wrong: what the initial state has against it, if it finds nothing itself.
        minor: what costs one point only, if there is nothing else.
    """
    points = answer.rubric.points[name]
    if not_run := _never_reached(name, answer.evidence):
        return Check.not_run(name, points, not_run)
    if problems := list(CHECKS[name](answer)) or wrong[:1]:
        return Check(name, False, 0, points, "; ".join(problems))
    if minor:
        return Check(name, False, points - 1, points, minor[0])
    checkpoint, satisfied = answer.evidence.checkpoint, SATISFIED[name]
    if name == "state_dict" and checkpoint and not checkpoint.after:  # no call of it worked
        satisfied = satisfied.partition(";")[0]
    return Check(name, True, points, points, satisfied)


def _never_reached(name: CheckName, evidence: Evidence) -> str:
    """Why the grader did not get to a check; `""` if it did."""
    if evidence.construction:
        return "the module could not be constructed"
    reached_by_check = {
        "placement": bool(evidence.movements),
        "forward": any(run.phase is Phase.EXERCISE for run in evidence.runs),
        "training": evidence.training is not None,
        "state_dict": evidence.checkpoint is not None,
        "checkpoint": evidence.is_audited,
    }
    reached = reached_by_check.get(name, evidence.structure is not None)
    return "" if reached else "the grader did not get that far"


CHECKS: dict[CheckName, Callable[[GradedAnswer], Problems]] = {
    "parameters": parameters,
    "buffers": buffers,
    "state_dict": state_dict,
    "placement": placement,
    "forward": forward,
    "training": training,
    "checkpoint": checkpoint,
}
SATISFIED: dict[CheckName, str] = {
    "parameters": "names, shapes and requires_grad are right",
    "buffers": "saved, of the right shape and dtype",
    "state_dict": "the right keys; a fresh instance that loads it gives the same outputs",
    "placement": 'every tensor is on CUDA after `.cuda()` and after `.to("cuda")`',
    "forward": "runs on the CPU and on CUDA, stays there, and gives the right numbers",
    "checkpoint": "trained, saved and loaded elsewhere, it gives the same outputs",
    "training": "gradients reach every parameter, a step changes them, the rest stays",
}
