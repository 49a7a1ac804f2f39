"""Notes in the record which answers of a class are alike, when all are graded."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace

import msgspec

from grader.classroom.intake.exercises import course
from grader.classroom.ledger import Entry
from grader.classroom.record import Record
from grader.judge.report import Flag
from grader.loading import LoadingError, read_source
from grader.static_analysis import LONGEST, in_order
from grader.static_analysis.similarity import clusters

COMPARED = {"passed", "failed", "tampered", "timeout", "crashed", "out_of_memory", "output_limit"}
MOST_NAMED = 5


def note_likeness(record: Record) -> None:
    """Flag the answers that are alike; what was flagged before and is no more loses its flag.

    A result whose flags change is written once more; it counts in the place of the earlier line.
    """
    for number, answers in _by_exercise(record).items():
        sources = {learner: text for learner, (text, _) in answers.items()}
        found = _flags(clusters(sources, course()[number].stem))
        for learner, (_, flags) in answers.items():
            if {flag for flag in flags if flag.kind == "likeness"} != found.get(learner, set()):
                entry = without_likeness(record.read(record.counted[learner, number]))
                record.add(_with_flags(entry, {*entry.report.flags, *found.get(learner, set())}))


def without_likeness(entry: Entry) -> Entry:
    """The entry without what it says of other learners' answers."""
    return _with_flags(entry, {flag for flag in entry.report.flags if flag.kind != "likeness"})


def _by_exercise(record: Record) -> dict[str, dict[str, tuple[str, tuple[Flag, ...]]]]:
    """By exercise and learner, the source and the flags of each answer that may be compared."""
    found: dict[str, dict[str, tuple[str, tuple[Flag, ...]]]] = defaultdict(dict)
    for (learner, number), line in sorted(record.counted.items()):
        if line.verdict in COMPARED:
            entry = record.read(line)
            with suppress(LoadingError, OSError):
                text = read_source(record.file(entry.submission))
                if len(text) <= LONGEST:
                    found[number][learner] = text, entry.report.flags
    return found


def _flags(groups: list[list[str]]) -> dict[str, set[Flag]]:
    return {
        learner: {_flag([each for each in group if each != learner])}
        for group in groups
        for learner in group
    }


def _flag(others: list[str]) -> Flag:
    names = ", ".join(others[:MOST_NAMED])
    more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    return Flag("likeness", 0, f"adds nearly the same to the starter as {names}{more}")


def _with_flags(entry: Entry, flags: set[Flag]) -> Entry:
    return msgspec.structs.replace(entry, report=replace(entry.report, flags=in_order(flags)))
