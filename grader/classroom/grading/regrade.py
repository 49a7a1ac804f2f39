"""`grader regrade`: after a changed rubric, grade again what it may change, and say what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.classroom.assignments.folder import AssignmentError
from grader.classroom.grading.engine import Engine, device_label
from grader.classroom.grading.grade import grade_all
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
    def sign(self) -> int:
        """1 if points were gained, -1 if some were lost."""
        gained = self.after[1] - self.before[1]
        return (gained > 0) - (gained < 0)


def regrade(
    folder: Path,
    jobs: int,
    isolation: Level,
    begin: Callable[[int], Callable[[], None]],
    assignment: Path | None = None,
) -> tuple[int, list[ScoreChange]]:
    """Grade again what another rubric graded, or nothing could, on the kind of device that it was.

    Gives how many there were, and what that changed.

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
    count, changes = 0, list[ScoreChange]()
    for choice in sorted(devices):
        device = device_label(choice)
        engine = Engine(jobs, Settings(choice, isolation))
        with engine, Record(folder, isolation) as record:
            exercises = scope_of(assignment)  # workers are forked before any rubric is read
            mine = [e for e in record.counted.values() if same_device(e.device) == choice]
            stale = [new for e in mine if (new := _if_stale(e, device, exercises))]
            grade_all(record, engine, stale, begin(len(stale)), exercises)
            note_likeness(record, exercises)
            for old in stale:
                was, now = old.report, record.counted[old.learner, old.exercise].report
                before, after = (was.verdict, was.score), (now.verdict, now.score)
                changes.append(ScoreChange(old.learner, old.exercise, before, after))
        count += len(stale)
    return count, [change for change in changes if change.before != change.after]


def _if_stale(entry: Entry, device: str, exercises: AssignmentScope) -> Entry | None:
    """What is to be graded again: an entry that today's rubric may change; None of another."""
    if not entry.is_stored:
        return None
    version = rubric_version(exercises.rubric_of(entry.exercise, entry.variant))
    if entry.rubric == version and entry.report.verdict != "cannot_grade":
        return None
    return msgspec.structs.replace(entry, rubric=version, device=device)
