"""`grader regrade`: after a changed rubric, grade again what it may change, and say what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader.classroom.grading.engine import Engine, device_label
from grader.classroom.grading.grade import UNKNOWN, grade_all
from grader.classroom.grading.marking import Settings
from grader.classroom.grading.versions import rubric_version
from grader.classroom.intake.exercises import course
from grader.classroom.results.ledger import Entry
from grader.classroom.results.likeness import note_likeness
from grader.classroom.results.record import Line, Record
from grader.containment.sandbox import Level, require
from grader.judge.report import Verdict
from grader.probe.device import same_device


@dataclass(frozen=True)
class Change:
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
class Regraded:
    """How many were graded again, and what that changed."""

    count: int
    changes: tuple[Change, ...]


def regrade(
    folder: Path, jobs: int, isolation: Level, begin: Callable[[int], Callable[[], None]]
) -> Regraded:
    """Grade again what another rubric graded, or nothing could, on the kind of device that it was.

    Args:
        folder: where the ledger is.
        jobs: how many to grade at a time.
        isolation: the least that must keep a probe from the machine.
        begin: called with how many there are; what it gives is called for each that is done.

    Raises:
        OSError: the folder cannot be read or written.
        NoCudaDeviceError: they were judged on CUDA, and there is none here.
        IsolationError: this system does not reach the isolation asked for.
    """
    require(isolation)
    with Record(folder) as record:
        devices = {same_device(each.device) for each in record.entries() if each.is_stored}
    count, changes = 0, []
    for choice in sorted(devices):
        device = device_label(choice)
        engine = Engine[Entry](jobs, Settings(choice, isolation))
        with engine, Record(folder, isolation) as record:
            stale = [key for key, line in record.counted.items() if _is_stale(line, choice, record)]
            before = {key: _brief(record.counted[key]) for key in stale}
            grade_all(record, engine, _again(stale, record, device), begin(len(stale)))
            note_likeness(record)
            after = {key: _brief(record.counted[key]) for key in stale}
        count += len(stale)
        changes += [Change(*key, before[key], after[key]) for key in stale]
    return Regraded(count, tuple(each for each in changes if each.before != each.after))


def _is_stale(line: Line, choice: str, record: Record) -> bool:
    entry = record.read(line)
    if not entry.is_stored or same_device(entry.device) != choice:
        return False
    version = rubric_version(course()[entry.exercise])
    return entry.rubric != version or line.verdict == "cannot_grade"


def _again(stale: list[tuple[str, str]], record: Record, device: str) -> Iterator[Entry]:
    for key in stale:
        entry = record.read(record.counted[key])
        version = rubric_version(course()[entry.exercise])
        yield msgspec.structs.replace(entry, rubric=version, device=device, report=UNKNOWN)


def _brief(line: Line) -> tuple[Verdict, int]:
    return line.verdict, line.score
