"""Several batches, such as the shards of one, in one folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from grader.classroom.results.ledger import Entry, Record, latest, read_ledger, require_ledger
from grader.classroom.results.similar_answers import note_likeness, without_likeness


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
