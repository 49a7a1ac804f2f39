"""`grader mark`: a person's mark for one result, in place of the grader's, or a comment on it."""

from __future__ import annotations

import csv
import getpass
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from grader.classroom.results.gradebook import Result
from grader.classroom.results.late_policy import Points, whole
from grader.classroom.results.ledger import Entry, ManualMark, Remark, require_ledger
from grader.classroom.results.record import Record
from grader.course import find
from grader.errors import GraderError
from grader.render import visible

Said = tuple[ManualMark | None, tuple[Remark, ...]]
COLUMNS = ("learner", "exercise", "score", "because", "comment", "line")  # of `mark --from`
MOST_CODE = 100  # characters of a line that a comment quotes


class MarkError(GraderError, ValueError):
    """There is no such result to mark, or it has no such number of points."""


def give_mark(folder: Path, who: str, number: str, points: Points, because: str) -> Result:
    """Write a person's mark; the result as it counts now.

    Args:
        folder: where the ledger is.
        who: the learner's name, or the platform's ID.
        number: the exercise's.
        points: at most those of the exercise, in halves.
        because: the reason, for the learner and for who marks next year.

    Raises:
        MarkError: there is nothing to mark, or it cannot be marked so.
        LedgerError: the folder holds no results.
        UnknownExerciseError: no exercise has that number.
    """

    def marked(result: Result, entry: Entry, record: Record) -> Said:
        if not float(2 * points).is_integer():
            raise MarkError(f"Points are given in halves, and {points} are not.")
        if points > result.max_score:
            most = f"{result.rubric.number} has {result.max_score} points"
            raise MarkError(f"{most}, so nobody can have {points}.")
        return ManualMark(whole(points), because, *_now(), entry.submission), entry.comments

    return _said(folder, who, number, marked)


def add_comment(folder: Path, who: str, number: str, text: str, line: int) -> Result:
    """Write what a person says of a result, or of one of its lines, without another mark.

    Args:
        folder: as in `give_mark`.
        who: as there.
        number: as there.
        text: for the learner.
        line: of what was handed in; 0 for the whole.

    Raises:
        MarkError: there is no such result, or no such line.
    """

    def commented(result: Result, entry: Entry, record: Record) -> Said:
        code = _line_of(record, entry, line) if line else ""
        said = Remark(text, *_now(), entry.submission, line, code)
        return entry.marked, (*entry.comments, said)

    return _said(folder, who, number, commented)


def take_back(folder: Path, who: str, number: str) -> Result:
    """Take back a person's mark and comments; the result as it counts now.

    Raises:
        MarkError: there is no such result, or nobody said anything of it.
    """

    def taken_back(result: Result, entry: Entry, record: Record) -> Said:
        if entry.marked is None and not entry.comments:
            raise MarkError(
                f"Nobody gave {result.learner} a mark of their own for {result.rubric.number}, or "
                "a comment, so there is none to withdraw: the grader's counts."
            )
        return None, ()

    return _said(folder, who, number, taken_back)


def _said(
    folder: Path, who: str, number: str, say: Callable[[Result, Entry, Record], Said]
) -> Result:
    """Write what `say` gives for a result."""
    rubric = find(number)
    require_ledger(folder)
    with Record(folder) as record:
        learner = _learner(who, record)
        if (learner, rubric.number) not in record.counted:
            raise MarkError(f"{learner} has no result for {rubric.number}, not even a missing one.")
        entry = record.read(record.counted[learner, rubric.number])
        marked, comments = say(Result(learner, rubric, entry), entry, record)
        return Result(learner, rubric, record.say(learner, rubric.number, marked, comments))


def _line_of(record: Record, entry: Entry, number: int) -> str:
    """The text of a line that was handed in."""
    if not entry.is_stored:
        raise MarkError("Nothing is stored that could have a line: comment on the whole.")
    lines = record.file(entry.submission).read_text("utf-8", "replace").splitlines()
    if not 0 < number <= len(lines):
        raise MarkError(f"{entry.file} has {len(lines)} lines, so there is no line {number}.")
    code = visible(lines[number - 1].strip())
    return code if len(code) <= MOST_CODE else f"{code[:MOST_CODE]} …"


def marks_in(table: Path) -> Iterator[tuple[str, str, Points | None, str, str, int]]:
    """What `give_mark` and `add_comment` take, for each row of a CSV file with such columns.

    Raises:
        MarkError: a column is missing, or points or a line are no number.
    """
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if missing := [name for name in COLUMNS[:2] if name not in (rows.fieldnames or ())]:
            raise MarkError(f"{table} has no column {' and none '.join(missing)}.")
        for row in rows:
            learner, exercise, points, because, comment, line = (
                (row.get(name) or "").strip() for name in COLUMNS
            )
            try:
                given = float(points) if points else None
                yield learner, exercise, given, because, comment, int(line or 0)
            except ValueError:
                raise MarkError(f"{table}:{rows.line_num}: no number: {points} {line}") from None


def _now() -> tuple[str, str]:
    """Who says it, and when."""
    return getpass.getuser(), datetime.now(UTC).isoformat(timespec="seconds")


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
