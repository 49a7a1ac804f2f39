"""A term's rules, `term.toml`: due dates, late penalties, extensions, limits on attempts.

The rules are applied when results are exported. The ledger keeps the marks without them, so a rule
may change after the fact, and no grading has to be repeated.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from grader.course import all_rubrics
from grader.errors import GraderError

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Worth = Annotated[float, msgspec.Meta(gt=0)]
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


@dataclass(frozen=True)
class Enrolled:
    """A learner, as one line of a roster has them; what is not known is `""`.

    Attributes:
        extensions: by an exercise's number, until when this learner may hand it in. A time without
            a zone is in the term's zone.
        participant: the number in Moodle's worksheet, which is another in each assignment.
    """

    name: str
    learner_id: str = ""
    section: str = ""
    group: str = ""
    email: str = ""
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    participant: str = ""


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
    """What is asked for one assignment, which has one mark.

    Attributes:
        exercises: their numbers; empty for the one exercise that the table is named after.
        weights: by an exercise's number, how many times its points count, if not once.
        points: what the whole is worth; if not what its exercises come to.
        due: when it has to be there.
        attempts: how many submissions count; the last of these counts.
        late: in place of the term's.
        canvas: the number in the assignment's address in Canvas.
        worksheet: Moodle's grading worksheet for it, a path from the term's file.
    """

    exercises: tuple[str, ...] = ()
    weights: dict[str, Worth] = {}
    points: Worth | None = None
    due: datetime | None = None
    attempts: Positive | None = None
    late: Late | None = None
    canvas: Positive | None = None
    worksheet: str = ""


NO_RULES = AssignmentRules()


class Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """More time for some.

    Attributes:
        due: until when.
        because: the reason, which the learner reads.
        assignments: their names, or exercises' numbers; empty means all.
        learners: names or IDs. sections, groups: as the roster has them.
    """

    due: datetime
    because: str = ""
    assignments: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def holds_for(self, person: Enrolled, names: tuple[str, ...]) -> bool:
        """Whether it gives this learner more time for what has one of these names."""
        if self.assignments and not {*names} & {*self.assignments}:
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

    def are_over(self, now: datetime) -> bool:
        """Whether nothing can be handed in any more that counts for something."""
        days = self.late.refused_after_days or 0
        longer = max(timedelta(hours=self.late.grace_hours), timedelta(days=days))
        return self.due is not None and self.due + longer < now


NO_TERMS = Terms()


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A term's rules.

    Attributes:
        timezone: of times that name none, such as `Europe/Berlin`.
        assignments: by their names; one of a single exercise may have that one's number.
    """

    timezone: str = ""
    late: Late = NO_PENALTY
    assignments: dict[str, AssignmentRules] = {}
    extensions: tuple[Extension, ...] = ()

    @cached_property
    def zone(self) -> ZoneInfo | None:
        return ZoneInfo(self.timezone) if self.timezone else None

    def rules(self, name: str) -> AssignmentRules:
        """What is asked for an assignment; nothing more than the exercise if none is called so."""
        return self.assignments.get(name, NO_RULES)

    def numbers(self, name: str) -> tuple[str, ...]:
        """The exercises of an assignment."""
        return self.rules(name).exercises or (name,)

    @cached_property
    def names(self) -> dict[str, str]:
        """The assignment of each exercise that belongs to one."""
        return {number: name for name in self.assignments for number in self.numbers(name)}

    def due(self, name: str) -> datetime | None:
        """When an assignment is due, for those who have no extension."""
        due = self.rules(name).due
        return due and self._zoned(due)

    def terms(self, person: Enrolled, number: str) -> Terms:
        """What holds for a learner and an exercise: of several extensions, the longest."""
        names = (number, self.names.get(number, number))
        assignment = self.rules(names[1])
        late = assignment.late or self.late
        if assignment.due is None:
            return Terms(late=late, attempts=assignment.attempts, zone=self.zone)
        due = self._zoned(assignment.due)
        extensions = [
            (self._zoned(extension.due), extension.because)
            for extension in self.extensions
            if extension.holds_for(person, names)
        ]
        extensions += [
            (self._zoned(person.extensions[n]), "") for n in names if n in person.extensions
        ]
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


def read_term(path: Path) -> Term:
    """The rules in a TOML file.

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
    _check(term, path)
    _check_exercises(term, path)
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


def _check(term: Term, path: Path) -> None:
    """Refuse what could only be a slip.

    Raises:
        TermError: a zone or an extension means nothing.
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
    for i, extension in enumerate(term.extensions):
        if not (extension.learners or extension.sections or extension.groups):
            key = f"extensions[{i}]"
            raise TermError(f"{path}, {key}: for whom? Name learners, sections or groups.")


def _check_exercises(term: Term, path: Path) -> None:
    """Refuse what names no exercise of the course, or one twice."""
    there = {rubric.number for rubric in all_rubrics()}
    seen: dict[str, str] = {}
    for key, number in _numbers(term):
        if number not in there:
            several = "" if "." in key.partition(".")[2] else ', or write exercises = ["03", "04"]'
            raise TermError(f"{path}, {key}: no exercise has the number {number}{several}.")
        if number in seen and not key.startswith("extensions"):
            raise TermError(f"{path}, {key}: exercise {number} is in {seen[number]} already.")
        seen[number] = key
    for name, rules in term.assignments.items():
        if unknown := rules.weights.keys() - {*term.numbers(name)}:
            key = f"assignments.{name}.weights"
            raise TermError(f"{path}, {key}: {min(unknown)} is none of its exercises.")


def _times(term: Term) -> Iterator[tuple[str, datetime]]:
    for number, assignment in term.assignments.items():
        if assignment.due:
            yield f"assignments.{number}.due", assignment.due
    for i, extension in enumerate(term.extensions):
        yield f"extensions[{i}].due", extension.due


def _numbers(term: Term) -> Iterator[tuple[str, str]]:
    """The number of each exercise that is named, and where."""
    for name, rules in term.assignments.items():
        listed = ".exercises" if rules.exercises else ""
        yield from ((f"assignments.{name}{listed}", number) for number in term.numbers(name))
    for i, extension in enumerate(term.extensions):
        for number in filter(lambda name: name not in term.assignments, extension.assignments):
            yield f"extensions[{i}].assignments", number
