"""Marks one submission: a child runs it, and what it showed is judged here."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from grader.classroom.intake.notebooks import counted_in_cell, place_of_class
from grader.classroom.submissions import is_notebook
from grader.grading import grade_file, refusal
from grader.judge.report import Check, Finding, Report
from grader.rubrics import load_rubric

if TYPE_CHECKING:
    from grader.evidence import Evidence
    from grader.probe.device import Choice
    from grader.probe.tasks import Task

Part = TypeVar("Part", Report, Check, Finding)


@dataclass(frozen=True)
class Job:
    """A submission to mark.

    Attributes:
        path: where its bytes lie.
        file: how it was called when it was handed in.
    """

    stem: str
    path: str
    file: str


@dataclass(frozen=True)
class Marked:
    """The result, the level of isolation that it was reached in, and the CPU seconds it took."""

    report: Report
    isolation: str
    seconds: float


@dataclass(frozen=True)
class Settings:
    """How everything in a batch is marked."""

    device: Choice


def mark(job: Job, settings: Settings) -> Marked:
    """The report that `grader check` would give, on a file under the learner's name for it."""
    rubric, path = load_rubric(job.stem), Path(job.path)
    before = _cpu_seconds()
    cell = place_of_class(path) if is_notebook(job.file) else None

    def probe(task: Task) -> Evidence:
        from grader.probe.child import probe_in_child

        evidence = probe_in_child(task)
        return counted_in_cell(evidence, cell.lines_before) if cell else evidence

    try:
        report = grade_file(rubric, path, settings.device, probe=probe)
    except Exception as error:  # such as evidence that nothing honest would send
        told = f"{type(error).__name__}: {error}"
        message = f"The grader itself failed on this submission. Please report this: {told}"
        report = refusal("cannot_grade", message, rubric, str(path))
    shown = f"{job.file} cell {cell.number}" if cell else job.file
    report = called(called(report, str(path), shown), path.stem, Path(job.file).stem)
    return Marked(report, "process", _cpu_seconds() - before)


def called(report: Report, stored: str, shown: str) -> Report:
    """The report with the learner's own name for the file, wherever it comes up."""
    return replace(
        _renamed(report, stored, shown),
        checks=tuple(_renamed(each, stored, shown) for each in report.checks),
        findings=tuple(_renamed(each, stored, shown) for each in report.findings),
    )


def _renamed(part: Part, stored: str, shown: str) -> Part:
    texts = {key: value for key, value in vars(part).items() if isinstance(value, str)}
    changed: dict[str, Any] = {k: text.replace(stored, shown) for k, text in texts.items()}
    return replace(part, **changed)


def _cpu_seconds() -> float:
    """What this process and its ended children have used so far."""
    return sum(os.times()[:4])
