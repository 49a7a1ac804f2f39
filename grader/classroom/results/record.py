"""A batch's folder: its ledger, what is in it by learner and by submission, and the files graded.

A few dozen bytes for each result are kept in memory; the rest is read again where it is needed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from grader.classroom.results.ledger import (
    Entry,
    Ledger,
    ManualMark,
    Remark,
    drop_other_name,
    read_at,
    read_with_offsets,
)
from grader.probe import Level
from grader.schema import Verdict

PATIENCE = 5.0


class BusyError(OSError):
    """Another process is writing the same record."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """Of a result, what it takes to know whether it still holds and to sum it up."""

    offset: int
    about: bytes
    verdict: Verdict
    score: int
    max_score: int


class Record:
    """The results so far, to look up and to add to.

    What was reached in a weaker isolation than `least` counts, until it is graded again.
    """

    def __init__(self, folder: Path, least: Level = Level.PROCESS) -> None:
        self._least = least
        self.folder = folder.resolve()  # what is probed stands in another folder
        self.counted: dict[tuple[str, str], LedgerLine] = {}
        self._graded: dict[bytes, int] = {}

    def __enter__(self) -> Record:
        (self.folder / "submissions").mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self.folder / ".lock")
        try:
            self._lock.acquire(timeout=PATIENCE)
        except Timeout:
            raise BusyError(
                f"{self.folder} is being written by another grader. Wait for it, or name another "
                "folder with --out."
            ) from None
        self._ledger = Ledger(self.folder)
        self.cut_off = self._ledger.cut_off
        for offset, entry in read_with_offsets(self.folder):
            self._note(offset, entry)
        return self

    def __exit__(self, *error: object) -> None:
        self._ledger.__exit__(*error)
        self._lock.release()

    def add(self, entry: Entry) -> None:
        """Write a result; from now on it is the one that counts. What a person said stays."""
        line = self.counted.get((entry.learner, entry.exercise))
        if line is not None:
            known = self.read(line)
            marked, comments = entry.marked or known.marked, entry.comments or known.comments
            entry = msgspec.structs.replace(entry, marked=marked, comments=comments)
        self._write(entry)

    def say(
        self, learner: str, exercise: str, marked: ManualMark | None, comments: tuple[Remark, ...]
    ) -> Entry:
        """Write all that persons say of a result; the result as it is now.

        Raises:
            KeyError: there is no such result.
        """
        known = self.read(self.counted[learner, exercise])
        entry = msgspec.structs.replace(known, marked=marked, comments=comments)
        self._write(entry)
        return entry

    def _write(self, entry: Entry) -> None:
        self._note(self._ledger.append(entry), entry)

    def holds(self, entry: Entry) -> bool:
        """Whether this very thing is what counts already: all but the result and the time."""
        line = self.counted.get((entry.learner, entry.exercise))
        return line is not None and line.about == _about(entry)

    def graded(self, entry: Entry) -> Entry | None:
        """A result of the same submission by the same rubric on the same device, whoever's."""
        offset = self._graded.get(_digest(*entry.key))
        return None if offset is None else read_at(self.folder, offset)

    def read(self, line: LedgerLine) -> Entry:
        """The whole result that a line stands for."""
        return read_at(self.folder, line.offset)

    def entries(self) -> Iterator[Entry]:
        for key in sorted(self.counted, key=lambda key: (key[1], key[0])):
            yield self.read(self.counted[key])

    def file(self, submission: str) -> Path:
        """Where a submission lies, to grade it again."""
        return self.folder / "submissions" / f"{submission}.py"

    def keep(self, content: bytes) -> str:
        """Store a submission; what it is called from now on."""
        submission = hashlib.sha256(content).hexdigest()
        path = self.file(submission)
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(content)
            os.replace(part, path)
        return submission

    def _note(self, offset: int, entry: Entry) -> None:
        report, stands = entry.report, self._stands(entry)
        drop_other_name(self.counted, entry, self.read)
        self.counted[entry.learner, entry.exercise] = LedgerLine(
            offset,
            _about(entry) if stands else b"",
            report.verdict,
            report.score,
            report.max_score,
        )
        if entry.is_stored and stands:
            self._graded[_digest(*entry.key)] = offset

    def _stands(self, entry: Entry) -> bool:
        """Whether there is no need to grade it once more, which may go better or be safer."""
        if entry.report.verdict == "cannot_grade":
            return False
        return entry.isolation == "none" or Level[entry.isolation.upper()] >= self._least


def _about(entry: Entry) -> bytes:
    return _digest(*entry.key, entry.file, str(entry.late))


def _digest(*parts: str) -> bytes:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()
