"""The record of a batch: a line of JSON for each result, only ever added to; and the files graded.

Whatever ends a batch, the lines before that moment are whole; at most the last one is torn, and
is cut off when the ledger is opened to go on. A later line about the same learner and exercise
replaces the earlier one, which stays as history. All that counts is held in memory: of ten
thousand results less than PyTorch takes.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from grader.errors import GraderError
from grader.probe import Level
from grader.schema import Report

LEDGER_NAME = "ledger.jsonl"
FORMAT = 2  # of a line
SYNC_EVERY = 1.0  # seconds of results that a power failure may cost; a kill costs none
PATIENCE = 5.0  # seconds to wait for another process that writes the same record


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


class Submission(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a learner handed in for an exercise, and by what it is judged.

    Attributes:
        learner: the name, as the submissions have it; no two learners share one.
        learner_id: what the platform calls the learner: Canvas's and Moodle's number, Gradescope's
            student ID; `""` where there is none.
        exercise: its number, such as `03`.
        submission: the SHA-256 of the bytes that were graded; `""` if there are none.
        modules: the learner's own files that it imports, by their paths, as in `submission`.
        file: its name, as it was handed in; `""` if nothing was.
        handed_in: when, in ISO format, `""` if that is not known.
        platform, receipt: from where, and by what it takes feedback back; see `Origin`.
        variant: which variant of an assignment it answers; `""` for the course's exercise.
        rubric: the version of the rubric and of what judges.
        device: what is judged on.
    """

    learner: str
    learner_id: str = ""
    exercise: str
    submission: str = ""
    modules: dict[str, str] = {}
    file: str = ""
    handed_in: str = ""
    late: bool = False
    platform: str = ""
    receipt: str = ""
    variant: str = ""
    rubric: str = ""
    device: str = "none"

    @property
    def is_stored(self) -> bool:
        """Whether what was handed in is there, to grade it again."""
        return bool(self.submission)

    @property
    def own_id(self) -> str:
        """What the platform always calls the learner: Moodle has another number each time."""
        return "" if self.platform == "moodle" else self.learner_id

    @property
    def key(self) -> tuple[str, ...]:
        """What decides the result: what was graded, for what, by what, on what."""
        modules = chain(*sorted(self.modules.items()))
        return (self.submission, self.exercise, self.rubric, self.device, *modules)


class Outcome(msgspec.Struct, frozen=True):
    """What came of a submission.

    Attributes:
        isolation: the level that the sandbox reached; `none` if nothing was run.
        seconds: CPU seconds, of grading and probing.
        timed_out: whether a probe ran out of time, even if the report does not depend on it.
    """

    report: Report
    isolation: str = "none"
    seconds: float = 0.0
    timed_out: bool = False


class Entry(
    Submission,
    frozen=True,
    omit_defaults=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="format",
    tag=FORMAT,
):
    """A line of the ledger: a submission, what came of it, and what persons say of it.

    Attributes:
        isolation, seconds: see `Outcome`; 0 where the same had been graded for somebody else.
        marked: the mark that a person gave it.
        comments: what persons said of it, the oldest first.
    """

    report: Report
    isolation: str = "none"
    seconds: float = 0.0
    marked: ManualMark | None = None
    comments: tuple[Remark, ...] = ()

    @property
    def is_handed_in(self) -> bool:
        """Whether there was anything to grade, even if nobody could read it."""
        return bool(self.file or self.submission)

    @property
    def has_result(self) -> bool:
        """Whether there is something to show: an answer, or a mark that a person gave for none."""
        return self.is_handed_in or self.marked is not None


def line_of(submission: Submission, outcome: Outcome) -> Entry:
    """The line about a submission."""
    facts = {name: getattr(submission, name) for name in Submission.__struct_fields__}
    report, isolation, seconds = outcome.report, outcome.isolation, outcome.seconds
    return Entry(**facts, report=report, isolation=isolation, seconds=seconds)


class LedgerError(GraderError, ValueError):
    """The ledger holds a line that is no result."""


class FormatError(LedgerError):
    """The ledger is another version's."""

    status = 3


class BusyError(OSError):
    """Another process is writing the same record."""


def require_ledger(folder: Path) -> None:
    """Raise LedgerError if a folder holds no results."""
    if not (folder / LEDGER_NAME).exists():
        raise LedgerError(
            f"There are no results in {folder}: no {LEDGER_NAME}. Name the batch's --out."
        )


def read_ledger(folder: Path) -> Iterator[Entry]:
    """Every result in the order in which they were reached; none if there is no ledger yet.

    Raises:
        LedgerError: a line is no result. A torn last line is not one, and is passed over.
    """
    path = folder / LEDGER_NAME
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield msgspec.json.decode(line, type=Entry)
            except (msgspec.DecodeError, msgspec.ValidationError) as error:
                if line.startswith(b"{") and not line.startswith(b'{"format":%d,' % FORMAT):
                    raise FormatError(
                        f"{path}, line {number} is not of format {FORMAT}: another version of the "
                        "grader wrote it. Grade again, with another --out."
                    ) from None
                raise LedgerError(
                    f"{path}, line {number} is not a result ({error}). Was the file edited? Fix or "
                    "remove that line; its submission is graded again."
                ) from None


def latest(entries: Iterable[Entry]) -> dict[tuple[str, str], Entry]:
    """The result that counts for each learner and exercise: the last one."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        _put(found, entry)
    return found


def _put(results: dict[tuple[str, str], Entry], entry: Entry) -> None:
    """Let a result count, and no other under the name of another batch: a namesake adds the ID."""
    among_namesakes = f" ({entry.learner_id})"
    alone = entry.learner.removesuffix(among_namesakes)
    other = alone if alone != entry.learner else entry.learner + among_namesakes
    known = results.get((other, entry.exercise)) if entry.learner_id else None
    if known is not None and known.learner_id == entry.learner_id:
        del results[other, entry.exercise]
    results[entry.learner, entry.exercise] = entry


class Record:
    """The results so far, to look up and to add to.

    What was reached in a weaker isolation than `least` counts, until it is graded again.

    Attributes:
        counted: what counts, by learner and exercise.
        cut_off: how many bytes of a torn line were found at the ledger's end, and cut off.
    """

    def __init__(self, folder: Path, least: Level = Level.PROCESS) -> None:
        self._least = least
        self.folder = folder.resolve()  # what is probed stands in another folder
        self.counted: dict[tuple[str, str], Entry] = {}
        self._graded: dict[tuple[str, ...], Entry] = {}

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
        self.cut_off = _cut_off_torn_line(self.folder / LEDGER_NAME)
        for entry in read_ledger(self.folder):
            self._note(entry)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = os.open(self.folder / LEDGER_NAME, flags, 0o644)
        self._synced = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._file)
        os.close(self._file)
        self._lock.release()

    def add(self, entry: Entry) -> None:
        """Write a result; from now on it is the one that counts. What a person said stays."""
        if known := self.counted.get((entry.learner, entry.exercise)):
            marked, comments = entry.marked or known.marked, entry.comments or known.comments
            entry = msgspec.structs.replace(entry, marked=marked, comments=comments)
        self.write(entry)

    def write(self, entry: Entry) -> None:
        """Write one more line, which survives whatever happens to this process."""
        line = memoryview(msgspec.json.encode(entry) + b"\n")
        while line:
            line = line[os.write(self._file, line) :]
        if time.monotonic() - self._synced > SYNC_EVERY:
            os.fsync(self._file)
            self._synced = time.monotonic()
        self._note(entry)

    def holds(self, one: Submission) -> bool:
        """Whether this very thing is what counts already: all but the result and the time."""
        known = self.counted.get((one.learner, one.exercise))
        if known is None or not self._stands(known):
            return False
        return (known.key, known.file, known.late) == (one.key, one.file, one.late)

    def graded(self, one: Submission) -> Entry | None:
        """A result of the same submission by the same rubric on the same device, whoever's."""
        return self._graded.get(one.key)

    def entries(self) -> list[Entry]:
        return sorted(self.counted.values(), key=lambda entry: (entry.exercise, entry.learner))

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

    def _note(self, entry: Entry) -> None:
        _put(self.counted, entry)
        if entry.is_stored and self._stands(entry):
            self._graded[entry.key] = entry

    def _stands(self, entry: Entry) -> bool:
        """Whether there is no need to grade it once more, which may go better or be safer."""
        if entry.report.verdict == "cannot_grade":
            return False
        return entry.isolation == "none" or Level[entry.isolation.upper()] >= self._least


def _cut_off_torn_line(path: Path) -> int:
    """Shorten the file to its last whole line; the number of bytes that went."""
    if not path.exists():
        return 0
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    os.truncate(path, end)
    return len(content) - end
