"""What concerns several results: which answers are alike, and several batches in one folder."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from grader.classroom.intake.scope import COURSE, AssignmentScope
from grader.classroom.results.ledger import Entry, Record, latest, read_ledger, require_ledger
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


def merge(folders: Iterable[Path], out: Path) -> int:
    """Add the results that count in each folder to those of `out`; how many were new.

    Where two are about the same learner and exercise, what was handed in last counts; if that is
    the same, the folder that is named last. Merging again adds nothing.

    Raises:
        OSError: a folder cannot be read or written.
        LedgerError: a folder holds no results, or a ledger is damaged.
    """
    added, folders = 0, list(folders)
    for folder in folders:
        require_ledger(folder)
    with Record(out) as record:
        for folder in folders:
            for entry in map(without_likeness, latest(read_ledger(folder)).values()):
                if _counts_more(entry, record.counted.get((entry.learner, entry.exercise))):
                    for stored in filter(None, (entry.submission, *entry.modules.values())):
                        if not (file := record.file(stored)).exists():
                            shutil.copyfile(folder / "submissions" / file.name, file)
                    record.add(entry)
                    added += 1
        note_likeness(record)
    return added


def _counts_more(entry: Entry, known: Entry | None) -> bool:
    if known is None:
        return True
    if not entry.has_result or entry == without_likeness(known):
        return False
    if known.is_stored and not entry.is_stored:  # nobody could read the other
        return False
    return not known.is_handed_in or entry.handed_in >= known.handed_in
