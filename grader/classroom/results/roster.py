"""A class's roster, `roster.csv`: who is enrolled, so that who is missing is seen.

    name,id,section,group,email,extension 03
    Ada Lovelace,4711,A,blue,ada@example.org,2026-03-04T23:59

Only `name` or `id` is needed. The columns may stand in any order, with others between them. What
Moodle and Gradescope call these columns in their own lists is understood as well. `extension 03` is
until when this learner may hand in exercise 03, or the assignment of that name; term.toml has the
due date of all.
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from grader.classroom.results.gradebook import Gradebook, by_name
from grader.classroom.results.term import Enrolled
from grader.errors import GraderError

# What the systems call a column, in small letters.
HEADINGS = {
    "name": ("name", "learner", "student", "full name"),
    "first": ("first name",),
    "last": ("last name", "surname"),
    "id": ("id", "learner_id", "id number", "sid", "student id", "sis user id"),
    "section": ("section", "sections", "section name"),
    "group": ("group", "groups", "group name"),
    "email": ("email", "e-mail", "email address", "mail"),
    "participant": ("identifier",),
}
PARTICIPANT = re.compile(r"\D+ (\d+)")  # `Participant 123`, in any language
EXTENSION = re.compile(r"extension\s+(.+)", re.IGNORECASE)


class RosterError(GraderError, ValueError):
    """A roster cannot be read. The message says which line, and what is expected."""


def read_roster(path: Path) -> tuple[Enrolled, ...]:
    """Everybody in a roster, in its order.

    Raises:
        RosterError: it is no CSV with a heading that says names or IDs, names somebody twice, or
            has an extension that is no time.
        OSError: it cannot be read.
    """
    try:
        reader = csv.DictReader(path.read_text("utf-8-sig").splitlines(), strict=True)
        rows = [(reader.line_num, row) for row in reader if _is_filled(row)]
    except (csv.Error, UnicodeDecodeError) as error:
        raise RosterError(f"{path} is no CSV in UTF-8: {error}") from None
    columns = _columns(list(reader.fieldnames or []))
    if not columns.keys() & {"name", "last", "id"}:
        raise RosterError(
            f"{path} does not say who is in it. Its first line names the columns, such as: "
            "name,id,section,group"
        )
    enrolled = []
    seen: dict[tuple[str, str], int] = {}
    for number, row in rows:
        extensions = _extensions(row, f"{path}, line {number}")
        person = replace(_person(row, columns), extensions=extensions)
        if not person.name:
            raise RosterError(f"{path}, line {number}: neither a name nor an ID.")
        if (earlier := seen.setdefault((person.name, person.learner_id), number)) != number:
            raise RosterError(f"{path}: {person.name} is in line {earlier} and in line {number}.")
        enrolled.append(person)
    return tuple(enrolled)


def with_roster(book: Gradebook, roster: tuple[Enrolled, ...]) -> tuple[Gradebook, tuple[str, ...]]:
    """The class with everybody who is enrolled, and the learners whom the roster does not know.

    A learner of the ledger is who has that ID in the roster, else who has that name, whatever its
    capitals. Who is enrolled and handed in nothing is there from now on, with nothing.
    """
    of_moodle = {e.learner for e in book.counted.values() if e.learner_id != e.own_id}
    known = {learner: number for learner, number in book.ids.items() if learner not in of_moodle}
    by_id = {learner_id: learner for learner, learner_id in known.items()}
    names = {learner.casefold(): learner for learner in book.learners}
    learners = {
        (by_id.get(person.learner_id) or names.get(person.name.casefold()) or person.name): person
        for person in roster
    }
    ids = {name: person.learner_id for name, person in learners.items() if person.learner_id}
    whole = replace(
        book,
        learners=tuple(sorted({*book.learners, *learners}, key=by_name)),
        ids=book.ids | ids | known,
        enrolled=learners,
    )
    return whole, tuple(learner for learner in book.learners if learner not in learners)


def _is_filled(row: dict[str, str]) -> bool:
    """Whether a row has a text: spreadsheets leave rows of mere commas below their last one."""
    return any((value or "").strip() for heading, value in row.items() if heading is not None)


def _columns(headings: list[str]) -> dict[str, str]:
    """What each column that is known is called in this file."""
    found: dict[str, str] = {}
    for what, names in HEADINGS.items():
        for heading in headings:
            if heading is not None and heading.strip().casefold() in names:
                found.setdefault(what, heading)
    return found


def _person(row: dict[str, str], columns: dict[str, str]) -> Enrolled:
    values = {what: (row.get(heading) or "").strip() for what, heading in columns.items()}
    parts = (values.get("first", ""), values.get("last", ""))
    learner_id = values.get("id", "")
    name = values.get("name") or " ".join(filter(None, parts)) or learner_id
    section, group, email = (values.get(what, "") for what in ("section", "group", "email"))
    numbers = PARTICIPANT.fullmatch(values.get("participant", ""))
    number = numbers[1] if numbers else ""
    return Enrolled(name, learner_id, section, group, email, participant=number)


def _extensions(row: dict[str, str], where: str) -> dict[str, datetime]:
    found = {}
    for heading, value in row.items():
        match = EXTENSION.fullmatch((heading or "").strip())
        if match is None or not (value or "").strip():
            continue
        try:
            found[match[1]] = datetime.fromisoformat(value.strip())
        except ValueError:
            raise RosterError(
                f"{where}, {heading.strip()}: {value.strip()} is no time. Write one such as "
                "2026-03-01T23:59."
            ) from None
    return found
