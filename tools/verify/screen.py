"""Verdicts on many mutants in one process, which costs a twentieth of a process for each.

Mutants are changed answers of ours, so nothing has to be kept from them. One of them may still not
come to its end or end its process: it then has no verdict, and the next one gets a new process.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, cast

from grader.grading.grade import answer_file, grade_class
from grader.loading import class_of, execute, read_source
from grader.schema import Rubric
from verify.mutants import Mutant

if TYPE_CHECKING:
    from grader.probe import DeviceChoice
    from grader.schema import Verdict

PATIENCE = 30.0  # seconds for one mutant


def screen_mutants(
    rubric: Rubric, device: DeviceChoice, mutants: Sequence[tuple[str, Mutant]]
) -> list[Verdict | None]:
    """What each mutant gets without the audit; most fail without the many draws of noise, too.

    Args:
        rubric: the exercise.
        device: what to judge on.
        mutants: each with the name of its class.

    Returns:
        The verdicts, None where the process hung or died.
    """
    from grader.probe import Worker

    verdicts: list[Verdict | None] = []
    while len(verdicts) < len(mutants):
        waiting = mutants[len(verdicts) :]
        with (
            Worker(_grade_all, rubric, device, waiting, daemon=True) as worker,
            suppress(EOFError, OSError),
        ):
            while len(verdicts) < len(mutants):
                verdicts.append(cast("Verdict", worker.receive(PATIENCE).decode()))
        if len(verdicts) < len(mutants):
            verdicts.append(None)
    return verdicts


def _grade_all(
    connection: Connection,
    rubric: Rubric,
    device: DeviceChoice,
    mutants: Sequence[tuple[str, Mutant]],
) -> None:
    """In the child: send the verdict on each mutant."""
    from grader.probe import use_one_thread

    use_one_thread()
    warnings.simplefilter("ignore", SyntaxWarning)  # such as `11 is None`
    for name, mutant in mutants:
        connection.send_bytes(_verdict(rubric, device, name, mutant).encode())


def _verdict(rubric: Rubric, device: DeviceChoice, name: str, mutant: Mutant) -> Verdict:
    with answer_file(rubric, mutant.source) as path:  # the judge reads a class's lines there
        try:
            cls = class_of(execute(read_source(path), path), name)
        except Exception:  # whatever the file raises
            return "not_defined"
        without_audit = _without_audit(rubric)
        verdict = grade_class(_without_noise(without_audit), cls, device).verdict
        if verdict == "passed":
            verdict = grade_class(without_audit, cls, device).verdict
        return verdict


def _without_audit(rubric: Rubric) -> Rubric:
    points = {**rubric.points}
    points.pop("checkpoint", None)  # which is the audit's
    return replace(rubric, recipe=replace(rubric.recipe, thorough=False), points=points)


def _without_noise(rubric: Rubric) -> Rubric:
    return replace(rubric, recipe=replace(rubric.recipe, measures_noise=False))
