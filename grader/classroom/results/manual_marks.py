"""`grader mark`: a person's mark for one result, in place of the grader's."""

from __future__ import annotations

import getpass
from collections.abc import Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from grader.classroom.results.gradebook import Result
from grader.classroom.results.ledger import ManualMark, require_ledger
from grader.classroom.results.record import Record
from grader.course import find
from grader.errors import GraderError


class MarkError(GraderError, ValueError):
    """There is no such result to mark, or it has no such number of points."""


def mark(folder: Path, who: str, number: str, points: int | None, because: str) -> Result:
    """Write a person's mark; None takes it back. The result as it counts now.

    Args:
        folder: where the ledger is.
        who: the learner's name, or the platform's ID.
        number: the exercise's.
        points: at most those of the exercise.
        because: the reason, for the learner and for who marks next year.

    Raises:
        MarkError: there is nothing to mark, or it cannot be marked so.
        LedgerError: the folder holds no results.
        UnknownExerciseError: no exercise has that number.
    """
    rubric = find(number)
    require_ledger(folder)
    with Record(folder) as record:
        learner = _learner(who, record)
        if (learner, rubric.number) not in record.counted:
            raise MarkError(f"{learner} has no result for {rubric.number}, not even a missing one.")
        entry = record.read(record.counted[learner, rubric.number])
        most = Result(learner, rubric, entry).max_score
        if points is not None and points > most:
            raise MarkError(f"{rubric.number} has {most} points, so nobody can have {points}.")
        if points is None and entry.marked is None:
            raise MarkError(
                f"Nobody gave {learner} a mark of their own for {rubric.number}, so there is none "
                "to withdraw: the grader's counts."
            )
        given = None if points is None else _entry_to_mark(points, because, entry.submission)
        return Result(learner, rubric, record.mark(learner, rubric.number, given))


def _entry_to_mark(points: int, because: str, submission: str) -> ManualMark:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return ManualMark(points, because, getpass.getuser(), at, submission)


def _learner(who: str, record: Record) -> str:
    """The learner whom a name or an ID means."""
    by_name = {learner: learner for learner, _ in record.counted}
    by_id = {entry.learner_id: entry.learner for entry in record.entries() if entry.learner_id}
    if found := by_name.get(who) or by_id.get(who):
        return found
    raise MarkError(f"Nobody is called {who} here. {_similar(who, by_name)}")


def _similar(who: str, names: Iterable[str]) -> str:
    close = get_close_matches(who, names, n=3, cutoff=0.4)
    return f"Did you mean {', '.join(close)}?" if close else "The pages list who is there."
