"""Grades what is not in the record yet, and writes down each result as it is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from grader.classroom.grading.engine import Engine
from grader.classroom.grading.marking import GradingJob, with_file_name
from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.results.ledger import Entry, Record
from grader.classroom.results.similar_answers import without_likeness
from grader.schema import Report

UNKNOWN = Report(verdict="cannot_grade", device="none")  # what an entry holds until it is graded


def grade_all(
    record: Record,
    engine: Engine[Entry],
    entries: Iterable[Entry],
    tell: Callable[[], None],
    scope: AssignmentScope = COURSE,
) -> None:
    """Reach every expected result and write it down; those that the record holds are passed over.

    What several learners handed in alike is graded once, and stands in the record for each.

    Args:
        record: where results are looked up and written to.
        engine: what grades.
        entries: the results to reach, without what grading finds out.
        tell: called for each, also for those that were there.
        scope: whose rubrics they are.
    """
    waiting: dict[tuple[str, ...], list[Entry]] = {}

    def add(entry: Entry) -> None:
        record.add(entry)
        tell()

    def jobs() -> Iterator[tuple[Entry, GradingJob]]:
        for entry in entries:
            if record.holds(entry):
                tell()
            elif entry.key in waiting:
                waiting[entry.key].append(entry)
            elif known := record.graded(entry):
                add(_copy_result(known, entry))
            else:
                waiting[entry.key] = []
                rubric = scope.rubric_of(entry.exercise, entry.variant)
                path = str(record.file(entry.submission))
                modules = {name: str(record.file(each)) for name, each in entry.modules.items()}
                yield entry, GradingJob(rubric.stem, path, entry.file, rubric.home, modules=modules)

    for entry, result in engine.run(jobs()):
        graded = msgspec.structs.replace(
            entry, report=result.report, isolation=result.isolation, seconds=result.seconds
        )
        add(graded)
        for copy in waiting.pop(entry.key):
            add(_copy_result(graded, copy))


def _copy_result(known: Entry, entry: Entry) -> Entry:
    """The entry with the result of somebody else's same submission."""
    report = with_file_name(without_likeness(known).report, known.file, entry.file)
    return msgspec.structs.replace(entry, report=report, isolation=known.isolation, seconds=0.0)
