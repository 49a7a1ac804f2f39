"""A term's rules, `term.toml`: due dates, late penalties, extensions, limits on attempts.

The rules are applied when results are exported. The ledger keeps the marks without them, so a rule
may change after the fact, and no grading has to be repeated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from grader.classroom.results.enrolled import Enrolled
from grader.errors import GraderError

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
T = TypeVar("T")
# What msgspec calls a kind of value, in words.
KINDS = {
    "array": "a list",
    "date": "a date without a time",
    "datetime": "a time such as 2026-03-01T23:59:00",
    "float": "a number",
    "int": "a whole number",
    "object": "a table",
    "str": "text",
}


class TermError(GraderError, ValueError):
    """A term's rules cannot be understood. The message names the file and the key."""


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What being late costs.

    Attributes:
        grace_hours: how late costs nothing. The days of the penalty begin after it.
        percent_a_day: of the points earned, for each day begun.
        most_percent: the penalty grows no further.
        refused_after_days: what comes later counts for nothing, counted from the due date.
    """

    grace_hours: NotNegative = 0
    percent_a_day: Percent = 0
    most_percent: Percent = 100
    refused_after_days: NotNegative | None = None


NO_PENALTY = Late()


class AssignmentRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked for one exercise.

    Attributes:
        due: when it has to be there.
        attempts: how many submissions count; the last of these counts.
        late: in place of the term's.
        canvas: the number in the assignment's address in Canvas.
        worksheet: Moodle's grading worksheet for it, a path from the term's file.
    """

    due: datetime | None = None
    attempts: Positive | None = None
    late: Late | None = None
    canvas: Positive | None = None
    worksheet: str = ""


class Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More time for some.

    Attributes:
        due: until when.
        because: the reason, which the learner reads.
        assignments: the exercises' numbers; empty means all.
        learners: names or IDs. sections, groups: as the roster has them.
    """

    due: datetime
    because: str = ""
    assignments: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def holds_for(self, person: Enrolled, number: str) -> bool:
        """Whether it gives this learner more time for that exercise."""
        if self.assignments and number not in self.assignments:
            return False
        is_named = person.name in self.learners
        has_id = bool(person.learner_id) and person.learner_id in self.learners
        return is_named or has_id or person.section in self.sections or person.group in self.groups


@dataclass(frozen=True)
class Terms:
    """What holds for one learner and one exercise.

    Attributes:
        due: with a zone; None if there is no due date.
        extended: whether `due` is later than for the others; `because` says why, if anybody did.
        zone: the term's, for times that people read; None for the machine's own.
    """

    due: datetime | None = None
    extended: bool = False
    because: str = ""
    late: Late = NO_PENALTY
    attempts: int | None = None
    zone: tzinfo | None = None


NO_TERMS = Terms()


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A term's rules.

    Attributes:
        timezone: of times that name none, such as `Europe/Berlin`.
        assignments: by an exercise's number.
    """

    timezone: str = ""
    late: Late = NO_PENALTY
    assignments: dict[str, AssignmentRules] = {}
    extensions: tuple[Extension, ...] = ()

    @cached_property
    def zone(self) -> ZoneInfo | None:
        return ZoneInfo(self.timezone) if self.timezone else None

    def terms(self, person: Enrolled, number: str) -> Terms:
        """What holds for a learner and an exercise: of several extensions, the longest."""
        assignment = self.assignments.get(number, AssignmentRules())
        late = assignment.late or self.late
        if assignment.due is None:
            return Terms(late=late, attempts=assignment.attempts, zone=self.zone)
        due = self._zoned(assignment.due)
        extensions = [
            (self._zoned(extension.due), extension.because)
            for extension in self.extensions
            if extension.holds_for(person, number)
        ]
        if own := person.extensions.get(number):
            extensions.append((self._zoned(own), ""))
        longest, because = max(extensions, default=(due, ""))
        extended = longest > due
        because = because if extended else ""
        return Terms(
            max(due, longest), extended, because, late, assignment.attempts, self.zone or due.tzinfo
        )

    def _zoned(self, time: datetime) -> datetime:
        return time if time.tzinfo else time.replace(tzinfo=self.zone)


NO_TERM = Term()
KEYS = {
    field for kind in (Term, AssignmentRules, Extension, Late) for field in kind.__struct_fields__
}


def read_term(path: Path, numbers: frozenset[str]) -> Term:
    """The rules in a file.

    Args:
        path: the TOML file.
        numbers: those of the exercises that there are.

    Raises:
        TermError: it is not TOML, or a key or its value is not one of a term's.
        OSError: it cannot be read.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TermError(f"{path} is not TOML in UTF-8: {error}") from None
    assignments = content.pop("assignments", {})
    if not isinstance(assignments, dict):
        raise TermError(f"{path}, assignments: write one table each, such as [assignments.03].")
    term = _convert(content, Term, path, "")
    read = {
        number: _convert(assignment, AssignmentRules, path, f"assignments.{number}")
        for number, assignment in assignments.items()
    }
    read = {number: _assignment_with_path(path.parent, entry) for number, entry in read.items()}
    term = msgspec.structs.replace(term, assignments=read)
    _check(term, path, numbers)
    return term


def _assignment_with_path(folder: Path, assignment: AssignmentRules) -> AssignmentRules:
    """The assignment with the worksheet's path from here."""
    if not assignment.worksheet:
        return assignment
    return msgspec.structs.replace(assignment, worksheet=str(folder / assignment.worksheet))


def _convert(content: Any, kind: type[T], path: Path, where: str) -> T:
    """The part of a file as what it should be."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        what, _, inner = str(error).partition(" - at `$")
        key = f"{where}{inner.rstrip('`')}".removeprefix(".")
        raise TermError(f"{path}{key and f', {key}'}: {_in_words(what)}") from None


def _in_words(message: str) -> str:
    """The message of msgspec for somebody who writes TOML and no Python."""
    if unknown := re.search(r"unknown field `(.+)`", message):
        close = get_close_matches(unknown[1], KEYS, n=1)
        advice = f". Did you mean `{close[0]}`?" if close else ""
        return f"there is no key `{unknown[1]}`{advice}"
    if "RFC3339" in message:
        return f"Expected {KINDS['datetime']}"
    return re.sub(r"`(\w+)(?: \| null)?`", lambda kind: KINDS.get(kind[1], kind[0]), message)


def _check(term: Term, path: Path, numbers: frozenset[str]) -> None:
    """Refuse what could only be a slip.

    Raises:
        TermError: a zone, an exercise or an extension means nothing.
    """
    try:
        has_zone = term.zone is not None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise TermError(
            f"{path}, timezone: there is no zone {term.timezone!r}. Write one such as "
            '"Europe/Berlin".'
        ) from None
    for key, time in _times(term):
        if time.tzinfo is None and not has_zone:
            raise TermError(
                f'{path}, {key}: in which zone? Write timezone = "Europe/Berlin" at the top, '
                "or an offset behind the time, such as +01:00."
            )
    for key, number in _numbers(term):
        if number not in numbers:
            raise TermError(f"{path}, {key}: no exercise has the number {number}.")
    for i, extension in enumerate(term.extensions):
        if not (extension.learners or extension.sections or extension.groups):
            key = f"extensions[{i}]"
            raise TermError(f"{path}, {key}: for whom? Name learners, sections or groups.")


def _times(term: Term) -> Iterator[tuple[str, datetime]]:
    for number, assignment in term.assignments.items():
        if assignment.due:
            yield f"assignments.{number}.due", assignment.due
    for i, extension in enumerate(term.extensions):
        yield f"extensions[{i}].due", extension.due


def _numbers(term: Term) -> Iterator[tuple[str, str]]:
    """The number of each exercise that is named, and where."""
    for number in term.assignments:
        yield f"assignments.{number}", number
    for i, extension in enumerate(term.extensions):
        for number in extension.assignments:
            yield f"extensions[{i}].assignments", number
