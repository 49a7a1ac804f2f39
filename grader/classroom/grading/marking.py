"""Marks one submission: a child runs it, and what it showed is judged here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from grader.classroom.grading.prober import Probe, Probed, cpu_seconds
from grader.classroom.intake.notebooks import place_of_class, with_cell_lines
from grader.classroom.intake.submissions import is_notebook
from grader.course import load_rubric
from grader.grading import grade_file, in_order, probe_file, refusal, remembers
from grader.loading import read_source
from grader.probe import Level, RefusedError
from grader.schema import Check, Finding, Flag, Report, Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Exercise, Task
    from grader.schema import Evidence

DIFFERS = "behaves differently in a second process: {} points, then {}, of {}"
Part = TypeVar("Part", Report, Check, Finding)


@dataclass(frozen=True)
class Job:
    """A submission to mark.

    Attributes:
        path: where its bytes lie.
        file: how it was called when it was handed in.
        home: the folder of the learner's variant; `""` for the course's exercise.
    """

    stem: str
    path: str
    file: str
    home: str = ""


@dataclass(frozen=True)
class Marked:
    """The result, the level of isolation that it was reached in, and the CPU seconds it took."""

    report: Report
    isolation: str
    seconds: float


@dataclass(frozen=True)
class Settings:
    """How everything in a batch is marked.

    Attributes:
        isolation: the least that must keep a probe from the machine.
    """

    device: DeviceChoice
    isolation: Level


def mark(job: Job, device: DeviceChoice, probe_task: Probe) -> Marked:
    """The report that `grader check` would give, on a file under the learner's name for it."""
    rubric, path = load_rubric(job.stem, job.home), Path(job.path)
    begun = cpu_seconds()
    cell = place_of_class(path) if is_notebook(job.file) else None
    probed: list[Probed] = []

    def probe(task: Task) -> Evidence:
        probed.append(probe_task(replace(cast("Exercise", task), again=bool(probed))))
        evidence = probed[-1].evidence
        if evidence is None:
            raise RefusedError(probed[-1].refused)
        return with_cell_lines(evidence, cell.lines_before) if cell else evidence

    report = _told(partial(grade_file, rubric, path, device, probe=probe), rubric, path)
    if report.score and probed:
        source = read_source(path)
        if report.flags or remembers(source):
            again = partial(probe_file, rubric, path, source, device, rubric.class_name, probe)
            report = agreed(report, _told(again, rubric, path))
    if cell:
        report = replace(report, flags=_in_cell(report.flags, cell.lines_before))
    shown = f"{job.file} cell {cell.number}" if cell else job.file
    report = called(called(report, str(path), shown), path.stem, Path(job.file).stem)
    seconds = cpu_seconds() - begun + sum(probe.seconds for probe in probed)
    return Marked(report, probed[0].isolation if probed else "none", seconds)


def _told(grade: Callable[[], Report], rubric: Rubric, path: Path) -> Report:
    try:
        return grade()
    except (EOFError, OSError):
        raise  # the prober is gone
    except Exception as error:  # evidence that nothing honest would send
        reason = f"{type(error).__name__}: {error}"
        message = f"The grader itself failed on this submission. Please report this: {reason}"
        return refusal("cannot_grade", message, rubric, str(path))


def agreed(first: Report, again: Report) -> Report:
    """What counts of two reports on one file, probed in two processes: the lower one.

    The second process imported the file afresh, with other seeds, and was asked in another order:
    code that counts calls, or waits for the grader to have looked, behaves differently there.
    """
    if again.verdict == "cannot_grade":
        return first
    if (first.verdict, first.score) == (again.verdict, again.score):
        return replace(first, flags=in_order({*first.flags, *again.flags}))
    message = DIFFERS.format(first.score, again.score, first.max_score)
    lower = min(first, again, key=lambda report: (report.score, report.verdict == "passed"))
    flags = {*first.flags, *again.flags, Flag("behaviour", 0, message)}
    return replace(lower, flags=in_order(flags))


def unmarked(job: Job, message: str) -> Marked:
    """What is said of a submission that nobody came to mark."""
    report = refusal("cannot_grade", message, load_rubric(job.stem, job.home), job.file)
    return Marked(report, "none", 0.0)


def _in_cell(flags: tuple[Flag, ...], before: int) -> tuple[Flag, ...]:
    """The flags with lines as in the cell of the class; those of other cells are unknown."""
    return tuple(replace(flag, line=max(0, flag.line - before)) for flag in flags)


def called(report: Report, stored: str, shown: str) -> Report:
    """The report with the learner's own name for the file, wherever it comes up."""
    return replace(
        _renamed(report, stored, shown),
        checks=tuple(_renamed(check, stored, shown) for check in report.checks),
        findings=tuple(_renamed(finding, stored, shown) for finding in report.findings),
    )


def _renamed(part: Part, stored: str, shown: str) -> Part:
    texts = {key: value for key, value in vars(part).items() if isinstance(value, str)}
    changed: dict[str, Any] = {k: text.replace(stored, shown) for k, text in texts.items()}
    return replace(part, **changed)
