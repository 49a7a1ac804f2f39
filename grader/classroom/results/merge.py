"""`grader merge`: the results of several batches, such as the shards of one, in one folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from grader.classroom.results.ledger import LEDGER_NAME, Entry, Record, latest, read_ledger
from grader.classroom.results.similar_answers import note_likeness, without_likeness


class NothingToMergeError(OSError):
    """A folder holds no results."""


def merge(folders: Iterable[Path], out: Path) -> int:
    """Add the results that count in each folder to those of `out`; how many were new.

    Where two are about the same learner and exercise, what was handed in last counts; if that is
    the same, the folder that is named last. Merging again adds nothing.

    Raises:
        OSError: a folder cannot be read or written.
        LedgerError: a ledger is damaged.
        NothingToMergeError: a folder holds no results.
    """
    added, folders = 0, list(folders)
    for folder in folders:
        if not (folder / LEDGER_NAME).exists():
            raise NothingToMergeError(f"{folder} holds no results: no {LEDGER_NAME}.")
    with Record(out) as record:
        for folder in folders:
            for entry in latest(read_ledger(folder)).values():
                added += _add(without_likeness(entry), folder, record)
        note_likeness(record)
    return added


def _add(entry: Entry, folder: Path, record: Record) -> bool:
    known = record.counted.get((entry.learner, entry.exercise))
    if known and not _counts_more(entry, without_likeness(known)):
        return False
    for stored in filter(None, (entry.submission, *entry.modules.values())):
        file = record.file(stored)
        if not file.exists():
            shutil.copyfile(folder / "submissions" / file.name, file)
    record.add(entry)
    return True


def _counts_more(entry: Entry, known: Entry) -> bool:
    if not entry.has_result or entry == known:
        return False
    if known.is_stored and not entry.is_stored:  # nobody could read the other
        return False
    return not known.is_handed_in or entry.handed_in >= known.handed_in
