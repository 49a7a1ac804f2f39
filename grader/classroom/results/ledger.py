"""The record of a batch: one line of JSON for each result, only ever added to.

Whatever ends a batch, the lines before that moment are whole; at most the last one is torn, and
is cut off when the ledger is opened to go on. A later line about the same learner and exercise
replaces the earlier one, which stays as history.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from grader.errors import GraderError
from grader.schema import Report

LEDGER_NAME = "ledger.jsonl"
BLOCK = 1 << 16
SYNC_EVERY = 1.0  # seconds of results that a power failure may cost; a kill costs none

T = TypeVar("T")


class ManualMark(msgspec.Struct, frozen=True):
    """A mark that a person gave, in place of the grader's.

    Attributes:
        points: of the exercise's; a person may give halves.
        because: the reason, which the learner reads.
        by: who gave it, by the name of their account.
        at: when, in ISO format.
        submission: what was marked, as in `Entry`; the mark does not hold for another one.
    """

    points: int | float
    because: str
    by: str
    at: str
    submission: str


class Remark(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person says of a submission, without a mark.

    Attributes:
        text: for the learner.
        by: who said it, by the name of their account.
        at: when, in ISO format.
        submission: what it is about, as in `Entry`; it is not shown with another one.
        line: the line that it is about, 0 for the whole.
        code: that line.
    """

    text: str
    by: str
    at: str
    submission: str
    line: int = 0
    code: str = ""

    def __str__(self) -> str:
        return f"Line {self.line}, `{self.code}`: {self.text}" if self.line else self.text


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One result.

    Attributes:
        learner: the name, as the submissions have it; no two learners share one.
        learner_id: what the platform calls the learner: Canvas's and Moodle's number, Gradescope's
            student ID; `""` where there is none.
        exercise: its number, such as `03`.
        submission: the SHA-256 of the bytes that were graded; `""` if there are none.
        file: its name, as it was handed in; `""` if nothing was.
        handed_in: when, in ISO format, `""` if that is not known.
        rubric: the version of the rubric and of what judges.
        device: what was judged on.
        isolation: the level that the sandbox reached.
        seconds: CPU seconds; 0 where the same submission had been graded for somebody else.
        marked: the mark that a person gave it.
        comments: what persons said of it, the oldest first.
        place: under which name the platform takes feedback on it back; `""` if it does not.
        variant: which variant of an assignment it answers; `""` for the course's exercise.
        modules: the learner's own files that it imports, by their paths, as in `submission`.
    """

    learner: str
    exercise: str
    submission: str
    file: str
    handed_in: str
    late: bool
    rubric: str
    device: str
    isolation: str
    seconds: float
    report: Report
    learner_id: str = ""
    marked: ManualMark | None = None
    place: str = ""
    variant: str = ""
    comments: tuple[Remark, ...] = ()
    modules: dict[str, str] = {}

    @property
    def is_handed_in(self) -> bool:
        """Whether there was anything to grade, even if nobody could read it."""
        return bool(self.file or self.submission)

    @property
    def has_result(self) -> bool:
        """Whether there is something to show: an answer, or a mark that a person gave for none."""
        return self.is_handed_in or self.marked is not None

    @property
    def is_numbered_anew(self) -> bool:
        """Whether `learner_id` is Moodle's number, which a learner has for one assignment only."""
        return "_assignsubmission_" in self.place

    @property
    def is_stored(self) -> bool:
        """Whether what was handed in is there, to grade it again."""
        return bool(self.submission)

    @property
    def key(self) -> tuple[str, ...]:
        """What decides the result: what was graded, for what, by what, on what."""
        modules = chain(*sorted(self.modules.items()))
        return (self.submission, self.exercise, self.rubric, self.device, *modules)


class LedgerError(GraderError, ValueError):
    """The ledger holds a line that is no result."""


def require_ledger(folder: Path) -> None:
    """Raise LedgerError if a folder holds no results."""
    if not (folder / LEDGER_NAME).exists():
        raise LedgerError(
            f"There are no results in {folder}: no {LEDGER_NAME}. Name the batch's --out."
        )


class Ledger:
    """A ledger that is added to.

    Attributes:
        cut_off: how many bytes of a torn line were found at its end, and cut off.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LEDGER_NAME
        self.cut_off = _cut_off_torn_line(self._path)
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._synced = time.monotonic()

    def append(self, entry: Entry) -> int:
        """Write one more line, which survives whatever happens to this process; its place."""
        start = os.lseek(self._file, 0, os.SEEK_END)
        line = memoryview(_encode(entry))
        while line:
            line = line[os.write(self._file, line) :]
        if time.monotonic() - self._synced > SYNC_EVERY:
            self._sync()
        return start

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._sync()
        os.close(self._file)

    def _sync(self) -> None:
        os.fsync(self._file)
        self._synced = time.monotonic()


def read_ledger(folder: Path) -> Iterator[Entry]:
    """Every result in the order in which they were reached; none if there is no ledger yet.

    Raises:
        LedgerError: a line is no result. A torn last line is not one, and is passed over.
    """
    return (entry for _, entry in read_with_offsets(folder))


def read_with_offsets(folder: Path) -> Iterator[tuple[int, Entry]]:
    """The same, each with the place in the file where its line begins.

    Raises:
        LedgerError: as `read_ledger`.
    """
    path = folder / LEDGER_NAME
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n"):
                yield offset, _decode(line, f"{path}, line {number}")
            offset += len(line)


def read_at(folder: Path, offset: int) -> Entry:
    """The result whose line begins at `offset`."""
    path = folder / LEDGER_NAME
    with path.open("rb") as lines:
        lines.seek(offset)
        return _decode(lines.readline(), str(path))


def latest(entries: Iterable[Entry]) -> dict[tuple[str, str], Entry]:
    """The result that counts for each learner and exercise: the last one."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        drop_other_name(found, entry, lambda known: known)
        found[entry.learner, entry.exercise] = entry
    return found


def drop_other_name(
    results: dict[tuple[str, str], T], entry: Entry, read: Callable[[T], Entry]
) -> None:
    """Take out the learner's result under the name that another batch gave: a namesake adds the ID.

    Args:
        results: by learner and exercise.
        entry: the result that is about to be added.
        read: gives a result's entry.
    """
    among_namesakes = f" ({entry.learner_id})"
    alone = entry.learner.removesuffix(among_namesakes)
    other = alone if alone != entry.learner else entry.learner + among_namesakes
    known = results.get((other, entry.exercise)) if entry.learner_id else None
    if known is not None and read(known).learner_id == entry.learner_id:
        del results[other, entry.exercise]


def _encode(entry: Entry) -> bytes:
    return msgspec.json.encode(entry) + b"\n"


def _decode(line: bytes, where: str) -> Entry:
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise LedgerError(
            f"{where} is not a result ({error}). Was the file edited? Fix or remove that line; "
            "its submission is graded again."
        ) from None


def _cut_off_torn_line(path: Path) -> int:
    """Shorten the file to its last whole line; the number of bytes that went."""
    if not path.exists():
        return 0
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_last_line(file, size)
        file.truncate(end)
    return size - end


def _end_of_last_line(file: BinaryIO, size: int) -> int:
    """Where the last whole line ends, looked for from the end, a block at a time."""
    end = size
    while end:
        begin = max(0, end - BLOCK)
        file.seek(begin)
        newline = file.read(end - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return 0
