"""Grades what is not in the record yet, and writes down each result as it is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from grader.classroom.grading.engine import Engine
from grader.classroom.grading.marking import GradingJob, with_file_name
from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.results.ledger import Entry, Outcome, Record, Submission, line_of
from grader.classroom.results.similar_answers import without_likeness


def grade_all(
    record: Record,
    engine: Engine,
    submissions: Iterable[Submission],
    tell: Callable[[], None],
    scope: AssignmentScope = COURSE,
) -> None:
    """Reach every expected result and write it down; those that the record holds are passed over.

    What several learners handed in alike is graded once, and stands in the record for each.

    Args:
        record: where results are looked up and written to.
        engine: what grades.
        submissions: what to grade.
        tell: called for each, also for those that were there.
        scope: whose rubrics they are.
    """
    waiting: dict[tuple[str, ...], list[Submission]] = {}

    def add(entry: Entry) -> None:
        record.add(entry)
        tell()

    def jobs() -> Iterator[GradingJob]:
        for one in submissions:
            if record.holds(one):
                tell()
            elif one.key in waiting:
                waiting[one.key].append(one)
            elif known := record.graded(one):
                add(_copy(known, one))
            else:
                waiting[one.key] = [one]
                rubric = scope.rubric_of(one.exercise, one.variant)
                path = str(record.file(one.submission))
                modules = {name: str(record.file(each)) for name, each in one.modules.items()}
                yield GradingJob(
                    rubric.stem, path, one.file, rubric.home, modules=modules, key=one.key
                )

    for job, outcome in engine.run(jobs()):
        first, *copies = waiting.pop(job.key)
        graded = line_of(first, outcome)
        add(graded)
        for copy in copies:
            add(_copy(graded, copy))


def _copy(known: Entry, one: Submission) -> Entry:
    """The result of somebody else's same submission for this one."""
    report = with_file_name(without_likeness(known).report, known.file, one.file)
    return line_of(one, Outcome(report, known.isolation))
