"""`grader mark`: a person's mark for one result, in place of the grader's, or a comment on it."""

from __future__ import annotations

import csv
import getpass
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

import msgspec

from grader.classroom.intake.submission import answer_lines
from grader.classroom.results.gradebook import Result, gradebook
from grader.classroom.results.late_policy import Points, whole
from grader.classroom.results.ledger import Entry, ManualMark, Record, Remark, require_ledger
from grader.classroom.results.roster import with_roster
from grader.classroom.results.term import Enrolled
from grader.course import find
from grader.errors import GraderError
from grader.grading import refusal
from grader.render import visible
from grader.schema import Rubric

COLUMNS = ("learner", "exercise")  # that a table must have
MOST_CODE = 100  # characters of a line that a comment quotes


class MarkError(GraderError, ValueError):
    """There is no such result to mark, or it has no such number of points."""


class Said(msgspec.Struct, frozen=True):
    """What a person says of a result.

    Attributes:
        learner: the name, the platform's ID, or what the roster has: ID, e-mail.
        exercise: its number.
        score: at most the exercise's points, in halves; None leaves the mark.
        because: the reason, for the learner and for who marks next year.
        comment: for the learner. line: what it is about, 0 for the whole.
        withdraw: take back all that persons said.
    """

    learner: str
    exercise: str
    score: Points | None = None
    because: str = ""
    comment: str = ""
    line: int = 0
    withdraw: bool = False


def say(folder: Path, said: Said, roster: Iterable[Enrolled] = ()) -> Result:
    """Write what a person says of a result in the ledger of a folder; the result as it counts now.

    Who is on the roster and handed in nothing has a result from now on.

    Raises:
        MarkError: there is nothing to mark, or it cannot be marked so.
        LedgerError: the folder holds no results.
        UnknownExerciseError: no exercise has that number.
    """
    if said.withdraw == (said.score is not None or bool(said.comment)):
        raise MarkError("Give --score POINTS with --because REASON, --comment TEXT, or --withdraw.")
    if said.line and not said.comment:
        raise MarkError("Say what there is about that line: --comment TEXT.")
    rubric = find(said.exercise)
    require_ledger(folder)
    with Record(folder) as record:
        entry = _entry(said.learner, rubric, record, roster)
        result = Result(entry.learner, rubric, entry)
        marked, comments = entry.marked, entry.comments
        if said.comment:
            code = _line_of(record, entry, said.line) if said.line else ""
            comments += (Remark(said.comment, *_now(), entry.submission, said.line, code),)
        if said.score is not None:
            marked = _mark(said, result, entry)
        if said.withdraw:
            if marked is None and not comments:
                raise MarkError(
                    f"Nobody gave {entry.learner} a mark of their own for {rubric.number}, or a "
                    "comment, so there is none to withdraw: the grader's counts."
                )
            marked, comments = None, ()
        entry = msgspec.structs.replace(entry, marked=marked, comments=comments)
        record.write(entry)
    return Result(entry.learner, rubric, entry)


def _mark(said: Said, result: Result, entry: Entry) -> ManualMark:
    points, most = said.score or 0, result.max_score
    if points < 0 or not said.because:
        raise MarkError("Say why, and give no less than 0 points: the learner reads it.")
    if not float(2 * points).is_integer():
        raise MarkError(f"Points are given in halves, and {points} are not.")
    if points > most:
        raise MarkError(f"{said.exercise} has {most} points, so nobody can have {whole(points)}.")
    return ManualMark(whole(points), said.because, *_now(), entry.submission)


def _line_of(record: Record, entry: Entry, number: int) -> str:
    """The text of a line that was handed in."""
    if not entry.is_stored:
        raise MarkError("Nothing is stored that could have a line: comment on the whole.")
    lines = answer_lines(record.file(entry.submission), entry.file)
    if not 0 < number <= len(lines):
        raise MarkError(f"{entry.file} has {len(lines)} lines, so there is no line {number}.")
    code = visible(lines[number - 1].strip())
    return code if len(code) <= MOST_CODE else f"{code[:MOST_CODE]} …"


def marks_in(table: Path) -> Iterator[Said]:
    """What each row of a CSV file says, in columns called as `Said` has them.

    Raises:
        MarkError: a column is missing, or points or a line are no number.
    """
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
            raise MarkError(f"{table} has no column {' and none '.join(missing)}.")
        for row in rows:
            texts = {name: (row.get(name) or "").strip() for name in Said.__struct_fields__}
            given = {name: text for name, text in texts.items() if text or name in COLUMNS}
            try:
                yield msgspec.convert(given, Said, strict=False)
            except msgspec.ValidationError as error:
                raise MarkError(f"{table}:{rows.line_num}: no number: {error}") from None


def _now() -> tuple[str, str]:
    """Who says it, and when."""
    return getpass.getuser(), datetime.now(UTC).isoformat(timespec="seconds")


def _entry(who: str, rubric: Rubric, record: Record, roster: Iterable[Enrolled]) -> Entry:
    """The line about an exercise of the learner whom a name, an ID or an address means."""
    if not any(number == rubric.number for _, number in record.counted):
        raise MarkError(f"Nobody has a result for {rubric.number} here, not even a missing one.")
    book, _ = with_roster(gradebook(record.counted.values()), tuple(roster))
    known: dict[str, str] = {}
    for learner in book.learners:
        person, number = book.person(learner), book.ids.get(learner, "")
        called = (number, person.email, person.learner_id, person.name, learner)
        known |= {alias.casefold(): learner for alias in called if alias}
    known |= {learner: learner for learner in book.learners}
    learner = known.get(who) or known.get(who.casefold(), "")
    if not learner:
        close = get_close_matches(who, {*known.values()}, n=3, cutoff=0.4)
        advice = f"Did you mean {', '.join(close)}?" if close else "The pages list who is there."
        raise MarkError(f"Nobody is called {who} here. {advice} --roster knows who else there is.")
    nothing = refusal("not_attempted", "Nothing was handed in.", rubric, "")
    number, learner_id = rubric.number, book.ids.get(learner, "")
    missing = Entry(learner=learner, learner_id=learner_id, exercise=number, report=nothing)
    return record.counted.get((learner, number), missing)
