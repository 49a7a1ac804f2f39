"""Which answers of a class are alike: each result's flag names the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import msgspec

from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.results.ledger import Entry, Record
from grader.grading import LONGEST, clusters, in_order
from grader.loading import LoadingError, read_source
from grader.schema import Flag

COMPARED = {"passed", "failed", "tampered", "timeout", "crashed", "out_of_memory", "output_limit"}
MOST_NAMED = 5


def note_likeness(record: Record, scope: AssignmentScope = COURSE) -> None:
    """Flag the answers that are alike; what was flagged before and is no more loses its flag.

    A result whose flags change is written once more; it counts in the place of the earlier line.
    """
    for (number, variant), learners in _by_variant(record).items():
        flags: dict[str, tuple[Flag, ...]] = {}
        rubric = scope.rubric_of(number, variant)
        found = _flags(clusters(_sources(number, learners, record, flags), rubric))
        for learner, before in flags.items():
            now = found.get(learner, set())
            if {flag for flag in before if flag.kind == "likeness"} != now:
                entry = without_likeness(record.counted[learner, number])
                record.add(_with_flags(entry, {*entry.report.flags, *now}))


def without_likeness(entry: Entry) -> Entry:
    """The entry without what it says of other learners' answers."""
    return _with_flags(entry, {flag for flag in entry.report.flags if flag.kind != "likeness"})


def _by_variant(record: Record) -> dict[tuple[str, str], list[str]]:
    """By exercise and variant, the learners whose answers may be compared: they had one starter."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (learner, number), entry in sorted(record.counted.items()):
        if entry.report.verdict in COMPARED:
            found[number, entry.variant].append(learner)
    return found


def _sources(
    number: str, learners: list[str], record: Record, flags: dict[str, tuple[Flag, ...]]
) -> Iterator[tuple[str, str]]:
    """Each learner and the source of the answer, one at a time; its flags are put into `flags`."""
    for learner in learners:
        entry = record.counted[learner, number]
        with suppress(LoadingError, OSError):
            text = read_source(record.file(entry.submission))
            if len(text) <= LONGEST:
                flags[learner] = entry.report.flags
                yield learner, text


def _flags(groups: list[list[str]]) -> dict[str, set[Flag]]:
    return {
        learner: {_flag([other for other in group if other != learner])}
        for group in groups
        for learner in group
    }


def _flag(others: list[str]) -> Flag:
    names = ", ".join(others[:MOST_NAMED])
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    return Flag("likeness", 0, f"adds nearly the same to the starter as {names}{more}")


def _with_flags(entry: Entry, flags: set[Flag]) -> Entry:
    return msgspec.structs.replace(entry, report=replace(entry.report, flags=in_order(flags)))
