"""Holds the course to itself: every starter, solution, accepted answer and mistake as declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.assignments.trying import problem_of_variant
from grader.course import (
    exercise_file,
    solution_file,
    starter,
)
from grader.grading.grade import grade_file
from grader.loading import execute, read_source
from grader.schema import Report, Rubric
from verify.try_mutants import Outcome, try_mutants
from verify.try_rewrites import try_rewrites
from verify.try_seeds import other_verdicts
from verify.variants import variants_file

if TYPE_CHECKING:
    from grader.probe import DeviceChoice

FEWEST_ACCEPTED, FEWEST_MISTAKES, FEWEST_HINTS = 3, 4, 3


def verify_exercise(rubric: Rubric, device: DeviceChoice = "auto") -> Iterator[tuple[str, bool]]:
    """One line for each thing verified, and whether it is as declared."""

    def grade(path: Path, class_name: str = "") -> Report:
        return grade_file(rubric, path, device, class_name)

    stem = rubric.stem
    yield _line(stem, "hints", _too_few(len(rubric.hints), FEWEST_HINTS))
    yield _line(stem, "starter", _wrong_starter(rubric, grade))
    yield _line(stem, "solution", _not_passed(grade(solution_file(stem))))
    variants = variants_file(stem)
    declared = vars(execute(read_source(variants), variants))
    accepted, mistakes = declared["ACCEPTED"], declared["MISTAKES"]
    yield _line(stem, "accepted answers", _too_few(len(accepted), FEWEST_ACCEPTED))
    yield _line(stem, "mistakes", _too_few(len(mistakes), FEWEST_MISTAKES))
    for answer in rubric.also_right:
        problem = _not_shown(answer, declared.get("ALSO_RIGHT", {}), accepted)
        yield _line(stem, f"also right: {answer}", problem)
    for name in accepted:
        yield _line(stem, f"accepted {name}", _not_passed(grade(variants, name)))
    for name, code in mistakes.items():
        problem = _not_failed_with(code, grade(variants, name))
        yield _line(stem, f"mistake {name}: {code}", problem)


def verify_variant(rubric: Rubric, device: DeviceChoice = "auto", every: int = 1) -> Iterator[str]:
    """What is wrong with an assignment's variant: nothing, if it can be handed out.

    Its solution and each rewrite of it pass in full, its starter and each mutant of the solution do
    not.

    Args:
        rubric: the variant's, which says where it lies.
        device: what to judge on.
        every: try only each so-many-th rewrite and mutant.
    """
    if problem := problem_of_variant(rubric):
        yield problem
    for rewrite, report in try_rewrites(rubric, device, every=every):
        if problem := _not_passed(report):
            yield f"rewrite ({rewrite.rule}): {problem}"
    for tried in try_mutants(rubric, device, every=every):
        if tried.outcome == "survived":
            yield f"mutant passes: {tried.mutant}"


def verify_mutants(
    rubric: Rubric,
    device: DeviceChoice = "auto",
    every: int = 1,
    outcomes: Counter[Outcome] | None = None,
) -> Iterator[tuple[str, bool]]:
    """One line for each mutant that is not judged as declared, and one for the exercise.

    Args:
        rubric: the exercise.
        device: what to judge on.
        every: grade only each so-many-th mutant.
        outcomes: counts the outcomes of several exercises; this one's are added.
    """
    mine: Counter[Outcome] = Counter()
    for tried in try_mutants(rubric, device, every=every):
        mine[tried.outcome] += 1
        if tried.outcome == "survived":
            what = f"mutant of {tried.answer} passes: {tried.mutant}"
            yield f"✗ {rubric.stem}: {what}", False
        elif tried.outcome == "refused though equivalent":
            what = f"mutant of {tried.answer} is listed as equivalent and fails: {tried.mutant}"
            yield f"✗ {rubric.stem}: {what}", False
    if outcomes is not None:
        outcomes.update(mine)
    yield f"✓ {rubric.stem}: {totals_line(mine)}", True


def totals_line(outcomes: Counter[Outcome]) -> str:
    """The totals, in one line that ends in `survivors: none` where there are none."""
    survived = outcomes["survived"]
    parts = [
        f"{outcomes.total()} mutants",
        f"{outcomes['refused']} refused",
        f"{outcomes['equivalent']} equivalent",
        f"{outcomes['duplicate']} duplicates not graded",
    ]
    if wrong := outcomes["refused though equivalent"]:
        parts.append(f"{wrong} refused though listed as equivalent")
    return f"{', '.join(parts)}; survivors: {survived or 'none'}"


def verify_rewrites(rubric: Rubric, device: DeviceChoice = "auto") -> Iterator[tuple[str, bool]]:
    """One line for each rewrite of the solution that does not pass in full, and one for all."""
    number = 0
    for rewrite, report in try_rewrites(rubric, device):
        number += 1
        if problem := _not_passed(report):
            yield _line(rubric.stem, f"rewrite ({rewrite.rule})", problem)
    yield f"✓ {rubric.stem}: {number} rewrites of the solution tried", True


def verify_seeds(rubric: Rubric, number: int) -> Iterator[tuple[str, bool]]:
    """One line for each declared answer, and whether `number` seeds give the declared verdict."""
    for answer, others in other_verdicts(rubric, range(number)):
        yield _line(rubric.stem, f"{answer}, {number} seeds", str(others) if others else "")


def _wrong_starter(rubric: Rubric, grade: Callable[[Path], Report]) -> str:
    path = exercise_file(rubric.stem)
    if path.read_text(encoding="utf-8") != starter(rubric.stem):
        return "exercises/ and starters.json differ: `make starters`, or `grader reset`"
    report = grade(path)
    if report.verdict != "not_attempted":
        return f"its verdict is {report.verdict}"
    places = sorted(found.where for found in report.findings if found.severity == "error")
    if rubric.faults and places != sorted(rubric.faults):
        return f"its errors are at {places}, and `faults` names others"
    return _missing_code(rubric.finding, report)


def _not_passed(report: Report) -> str:
    if report.verdict == "passed" and not report.findings:
        return ""
    wrong = [f"{check.name}: {check.message}" for check in report.checks if not check.passed]
    wrong += [f"{finding.code} {finding.where}" for finding in report.findings]
    return "; ".join([report.verdict, report.message, *wrong])


def _not_failed_with(code: str, report: Report) -> str:
    """`code` is a finding's code, or `check NAME` where no finding fits."""
    if report.verdict != "failed":
        return f"its verdict is {report.verdict} {report.message}"
    return _missing_code(code, report)


def _missing_code(code: str, report: Report) -> str:
    if code.startswith("check "):
        name = code.removeprefix("check ")
        failed = [check.name for check in report.checks if not check.passed]
        return "" if name in failed else f"the failed checks are {failed}"
    found = [finding.code for finding in report.findings if finding.severity == "error"]
    return "" if code in found else f"its findings are {found}"


def _not_shown(answer: str, shown: dict[str, str], accepted: Sequence[str]) -> str:
    """Whether an accepted answer shows what `also_right` says, found by a part of the sentence."""
    names = [name for part, name in shown.items() if part in answer]
    if not names:
        return "no key of ALSO_RIGHT is a part of it"
    missing = [name for name in names if name not in accepted]
    return f"not in ACCEPTED: {', '.join(missing)}" if missing else ""


def _too_few(number: int, fewest: int) -> str:
    return "" if number >= fewest else f"{number}, and there should be {fewest}"


def _line(stem: str, what: str, problem: str) -> tuple[str, bool]:
    return (f"✗ {stem}: {what}: {problem}", False) if problem else (f"✓ {stem}: {what}", True)
