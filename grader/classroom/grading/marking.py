"""Grades one submission: a child runs it, and what it showed is judged here."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from grader.classroom.grading.prober import Probe, ProbeResult, cpu_seconds
from grader.classroom.intake.notebooks import place_of_class, with_cell_lines
from grader.classroom.intake.submission import is_notebook
from grader.classroom.results.ledger import Outcome
from grader.course import load_rubric
from grader.grading import grade_file, in_order, probe_file, refusal, remembers
from grader.loading import read_source
from grader.probe import Level, Limits, RefusedError
from grader.schema import Check, Finding, Flag, Report, Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Exercise, Task
    from grader.schema import Evidence

DIFFERS = "behaves differently in a second process: {} points, then {}, of {}"
ReportPart = TypeVar("ReportPart", Report, Check, Finding)


@dataclass(frozen=True)
class GradingJob:
    """A submission to grade.

    Attributes:
        path: where its bytes lie.
        file: how it was called when it was handed in.
        home: the folder of the learner's variant; `""` for the course's exercise.
        seconds: by the clock, for each probe.
        modules: where the learner's own files lie that it imports, by their paths from it.
        key: what decides its result; see `Submission`.
        limit: the seconds that it may take this time, if these are fewer; else 0.
        tries: how many workers got it.
    """

    stem: str
    path: str
    file: str
    home: str = ""
    seconds: float = Limits().seconds
    modules: dict[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    limit: float = 0.0
    tries: int = 0


@dataclass(frozen=True)
class Settings:
    """How everything in a batch is graded.

    Attributes:
        isolation: the least that must keep a probe from the machine.
    """

    device: DeviceChoice
    isolation: Level


def grade_submission(job: GradingJob, device: DeviceChoice, probe_task: Probe) -> Outcome:
    """The report that `grader check` would give, on a file under the learner's name for it."""
    with _laid_out(job) as path:
        return _grade_at(path, job, device, probe_task)


@contextmanager
def _laid_out(job: GradingJob) -> Iterator[Path]:
    """The answer's file; if it imports others of the learner's, next to them in a folder."""
    if not job.modules:
        yield Path(job.path)
        return
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        answer = Path(folder, Path(job.path).name)
        for name, path in {answer.name: job.path, **job.modules}.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, file)
        for made in (Path(folder), *Path(folder).rglob("*")):
            made.chmod(0o755)  # a probe of root's runs as another user
        yield answer


def _grade_at(path: Path, job: GradingJob, device: DeviceChoice, probe_task: Probe) -> Outcome:
    rubric, started = load_rubric(job.stem, job.home), cpu_seconds()
    cell = place_of_class(path) if is_notebook(job.file) else None
    probes: list[ProbeResult] = []

    def probe(task: Task) -> Evidence:
        exercise = cast("Exercise", task)
        exercise = replace(exercise, is_again=bool(probes), has_modules=bool(job.modules))
        probes.append(probe_task(exercise, job.limit or job.seconds))
        evidence = probes[-1].evidence
        if evidence is None:
            raise RefusedError(probes[-1].refused)
        return with_cell_lines(evidence, cell.lines_before) if cell else evidence

    grade = partial(grade_file, rubric, path, device, probe=probe)
    report = _report_or_refusal(grade, rubric, path)
    if report.score and probes:
        source = read_source(path)
        if report.flags or remembers(source):
            again = partial(probe_file, rubric, path, source, device, rubric.class_name, probe)
            report = lower_report(report, _report_or_refusal(again, rubric, path))
    if cell:
        lines = ((flag, max(0, flag.line - cell.lines_before)) for flag in report.flags)
        report = replace(report, flags=tuple(replace(flag, line=n) for flag, n in lines))
    shown = f"{job.file} cell {cell.number}" if cell else job.file
    report = with_file_name(report, str(path), shown)
    report = with_file_name(report, path.stem, Path(job.file).stem)
    report = with_file_name(report, f"{path.parent}/", "")
    seconds = cpu_seconds() - started + sum(each.seconds for each in probes)
    isolation = probes[0].isolation if probes else "none"
    return Outcome(report, isolation, seconds, any(each.timed_out for each in probes))


def _report_or_refusal(grade: Callable[[], Report], rubric: Rubric, path: Path) -> Report:
    try:
        return grade()
    except (EOFError, OSError):
        raise  # the prober is gone
    except Exception as error:  # evidence that nothing honest would send
        reason = f"{type(error).__name__}: {error}"
        message = f"The grader itself failed on this submission. Please report this: {reason}"
        return refusal("cannot_grade", message, rubric, str(path))


def lower_report(first: Report, again: Report) -> Report:
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


def refused(job: GradingJob, message: str) -> Outcome:
    """What comes of a submission that could not be graded, with the reason."""
    report = refusal("cannot_grade", message, load_rubric(job.stem, job.home), job.file)
    return Outcome(report)


def with_file_name(report: Report, stored: str, shown: str) -> Report:
    """The report with the learner's own name for the file, wherever it comes up."""
    return replace(
        _replace_text(report, stored, shown),
        checks=tuple(_replace_text(check, stored, shown) for check in report.checks),
        findings=tuple(_replace_text(finding, stored, shown) for finding in report.findings),
    )


def _replace_text(part: ReportPart, stored: str, shown: str) -> ReportPart:
    texts = {key: value for key, value in vars(part).items() if isinstance(value, str)}
    changed: dict[str, Any] = {k: text.replace(stored, shown) for k, text in texts.items()}
    return replace(part, **changed)
