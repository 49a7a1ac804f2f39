"""`grader regrade`: after a changed rubric, grade again what it may change, and say what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.classroom.assignments.folder import AssignmentError
from grader.classroom.grading.engine import Engine, device_label
from grader.classroom.grading.grade import UNKNOWN, grade_all
from grader.classroom.grading.marking import Settings
from grader.classroom.grading.versions import rubric_version
from grader.classroom.intake.scope import AssignmentScope, scope_of
from grader.classroom.results.ledger import Entry, Record, require_ledger
from grader.classroom.results.similar_answers import note_likeness
from grader.probe import Level, require, same_device
from grader.schema import Verdict

NOT_THE_SAME = (
    "--assignment FOLDER names the assignment that the results in {folder} are of, and is left out "
    "for exercises of the course. Results of both kinds need a folder each."
)


@dataclass(frozen=True)
class ScoreChange:
    """What a regrade changed for one learner."""

    learner: str
    exercise: str
    before: tuple[Verdict, int]
    after: tuple[Verdict, int]

    @property
    def difference(self) -> int:
        """The points gained; below 0, those lost."""
        return self.after[1] - self.before[1]


@dataclass(frozen=True)
class RegradeResult:
    """How many were graded again, and what that changed."""

    count: int
    changes: tuple[ScoreChange, ...]


def regrade(
    folder: Path,
    jobs: int,
    isolation: Level,
    begin: Callable[[int], Callable[[], None]],
    assignment: Path | None = None,
) -> RegradeResult:
    """Grade again what another rubric graded, or nothing could, on the kind of device that it was.

    Args:
        folder: where the ledger is.
        jobs: how many to grade at a time.
        isolation: the least that must keep a probe from the machine.
        begin: called with how many there are; what it gives is called for each that is done.
        assignment: the folder of the assignment that they were graded by; None for the course.

    Raises:
        OSError: the folder cannot be read or written.
        LedgerError: it holds no results.
        NoCudaDeviceError: they were judged on CUDA, and there is none here.
        IsolationError: this system does not reach the isolation asked for.
        AssignmentError: another assignment graded them, or none.
    """
    require(isolation)
    require_ledger(folder)
    with Record(folder) as record:
        stored = [entry for entry in record.entries() if entry.is_stored]
        devices = {same_device(entry.device) for entry in stored}
        if any(bool(entry.variant) != bool(assignment) for entry in stored):
            raise AssignmentError(NOT_THE_SAME.format(folder=folder))
    count, changes = 0, []
    for choice in sorted(devices):
        device = device_label(choice)
        engine = Engine[Entry](jobs, Settings(choice, isolation))
        with engine, Record(folder, isolation) as record:
            exercises = scope_of(assignment)  # workers are forked before any rubric is read
            counted = record.counted.items()
            stale = {key: known for key, known in counted if _is_stale(known, choice, exercises)}
            entries = list(_ungraded(stale.values(), device, exercises))
            grade_all(record, engine, entries, begin(len(stale)), exercises)
            note_likeness(record, exercises)
            after = dict(record.counted)
        count += len(stale)
        both = ((key, stale[key].report, after[key].report) for key in stale)
        changes += [
            ScoreChange(*key, (was.verdict, was.score), (now.verdict, now.score))
            for key, was, now in both
        ]
    changed = tuple(change for change in changes if change.before != change.after)
    return RegradeResult(count, changed)


def _is_stale(entry: Entry, choice: str, exercises: AssignmentScope) -> bool:
    if not entry.is_stored or same_device(entry.device) != choice:
        return False
    version = rubric_version(exercises.rubric_of(entry.exercise, entry.variant))
    return entry.rubric != version or entry.report.verdict == "cannot_grade"


def _ungraded(stale: Iterable[Entry], device: str, exercises: AssignmentScope) -> Iterator[Entry]:
    for entry in stale:
        version = rubric_version(exercises.rubric_of(entry.exercise, entry.variant))
        yield msgspec.structs.replace(entry, rubric=version, device=device, report=UNKNOWN)
