"""Tries the grader on mutants: small changes to right answers, of which each should be refused."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

from grader.course import solution_of
from grader.grading.grade import answer_file, grade_file
from grader.loading import execute, read_source
from grader.schema import Rubric
from verify.mutants import BY_ITSELF, Mutant, mutants_of, permitted
from verify.screen import screen_mutants
from verify.variants import variants_file

if TYPE_CHECKING:
    from grader.probe import DeviceChoice
    from grader.schema import Verdict

Outcome = Literal["refused", "equivalent", "duplicate", "survived", "refused though equivalent"]


BATCH = 25


@dataclass(frozen=True)
class MutantResult:
    """What came of one mutant.

    Attributes:
        answer: the class that was changed.
        verdict: None for a duplicate, which is not graded.
        reason: why it is right as well, where the author or the rubric says so.
    """

    answer: str
    mutant: Mutant
    verdict: Verdict | None
    outcome: Outcome
    reason: str = ""


def try_mutants(
    rubric: Rubric,
    device: DeviceChoice = "auto",
    *,
    every: int = 1,
    accepted: bool = True,
    jobs: int | None = None,
) -> Iterator[MutantResult]:
    """Grade the mutants of an exercise's solution and accepted answers.

    A mutant is a duplicate if an earlier answer has the same line in a method of the same name, and
    the same change of it was tried there. Duplicates come first, and are not graded.

    Args:
        rubric: the exercise.
        device: what to judge on.
        every: grade only each so-many-th, for a sample that is the same each time.
        accepted: whether to change the accepted answers too, not the solution alone.
        jobs: how many processes grade; one for each processor, unless given.
    """
    from grader.probe import process_pool

    different: dict[tuple[str, ...], tuple[str, Mutant]] = {}
    for answer, mutant in mutants_of_exercise(rubric, accepted=accepted):
        if mutant.edit in different:
            yield MutantResult(answer, mutant, None, "duplicate")
        else:
            different[mutant.edit] = answer, mutant
    mutants = list(different.values())[::every]
    batches = [mutants[i : i + BATCH] for i in range(0, len(mutants), BATCH)]
    reasons, either = equivalents(rubric), equivalents(rubric, "either")
    with process_pool(jobs) as pool:
        verdicts = chain.from_iterable(pool.map(partial(_verdicts, rubric, device), batches))
        for (answer, mutant), verdict in zip(mutants, verdicts, strict=True):
            reason = reasons.get((mutant.before, mutant.after), "")
            if not reason and permitted(rubric, mutant):
                reason = BY_ITSELF
            outcome: Outcome = "refused"
            if (mutant.before, mutant.after) in either or reason == BY_ITSELF:
                outcome = "equivalent" if verdict == "passed" else "refused"
            elif reason:
                outcome = "equivalent" if verdict == "passed" else "refused though equivalent"
            elif verdict == "passed":
                outcome = "survived"
            yield MutantResult(answer, mutant, verdict, outcome, reason)


def mutants_of_exercise(rubric: Rubric, accepted: bool = True) -> Iterator[tuple[str, Mutant]]:
    """Each mutant with the class that it is to be tried on, those of the solution first."""
    usual = rubric.recipe.arguments
    yield from mutants_of(read_source(solution_of(rubric)), (rubric.class_name,), usual)
    if accepted and not rubric.home:
        path = variants_file(rubric.stem)
        source = read_source(path)
        yield from mutants_of(source, tuple(vars(execute(source, path))["ACCEPTED"]), usual)


def equivalents(rubric: Rubric, kind: str = "equivalent") -> dict[tuple[str, str], str]:
    """Why each mutant that is as right as the answer is so, by the line before and after.

    Args:
        rubric: the exercise.
        kind: `equivalent`, or `either` for those that differ from the answer by so little that some
            draws of random numbers show it and others do not.
    """
    path = variants_file(rubric.stem).parent / "equivalent" / f"{rubric.stem}.toml"
    if rubric.home or not path.exists():
        return {}
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get(kind, [])
    return {
        (entry["before"], after): entry["reason"] for entry in listed for after in entry["after"]
    }


def _verdicts(
    rubric: Rubric, device: DeviceChoice, mutants: list[tuple[str, Mutant]]
) -> list[Verdict]:
    """Those of `grader check`, for all mutants that a quicker grading does not refuse already."""
    quick = zip(mutants, screen_mutants(rubric, device, mutants), strict=True)
    return [
        _verdict(rubric, device, *mutant) if verdict in (None, "passed") else verdict
        for mutant, verdict in quick
    ]


def _verdict(rubric: Rubric, device: DeviceChoice, name: str, mutant: Mutant) -> Verdict:
    with answer_file(rubric, mutant.source) as path:
        return grade_file(rubric, path, device, name).verdict
