"""The journal's file: read it, change it, and never lose it.

It is replaced as a whole, by a file that is already on the disk, so that whoever reads it finds the
old one or the new one, whatever happens in between. Writers take turns by a lock beside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from grader.learning.journal.model import Attempt, Help, Journal
from grader.schema import Report

PLACE = "GRADER_JOURNAL"
LOCK_SECONDS = 10


class _CannotKeepError(Exception):
    """Why nothing is written, in sentences."""


class _BrokenError(Exception):
    """The file holds no journal, or one of another version."""


def journal_path() -> Path:
    """The file that GRADER_JOURNAL names, or the usual place for what belongs to a person."""
    if path := os.environ.get(PLACE):
        return Path(path).expanduser().resolve()
    from platformdirs import user_data_path

    return (user_data_path("wheres-my-tensor", appauthor=False) / "journal.json").resolve()


def read_journal() -> tuple[Journal, str]:
    """The journal, and a notice if there is something to say about its file, else `""`."""
    path = journal_path()
    try:
        return _load(path), ""
    except _CannotKeepError as error:
        return Journal(), str(error)
    except _BrokenError:
        return Journal(), keep(lambda journal: None)


def peek() -> Journal:
    """The journal as far as it can be read; an empty one, and no word about it, where it cannot."""
    try:
        return _load(journal_path())
    except (_CannotKeepError, _BrokenError):
        return Journal()


def is_kept() -> bool:
    """Whether what a learner does is written down: there is a file for it, or one can be made."""
    if _is_nobody():
        return False
    path = journal_path()
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    return os.access(there, os.W_OK)


def keep(edit: Callable[[Journal], None]) -> str:
    """Change the journal on the disk. Return a notice if there is something to say, else `""`.

    A machine that tests (it has CI set) is no learner: only where GRADER_JOURNAL names a file is
    anything kept there.
    """
    if _is_nobody():
        return ""
    path = journal_path()
    try:
        with _locked(path):
            return _change(path, edit)
    except _CannotKeepError as error:
        return str(error)


def _is_nobody() -> bool:
    return bool(os.environ.get("CI")) and not os.environ.get(PLACE)


def _change(path: Path, edit: Callable[[Journal], None]) -> str:
    notice = ""
    try:
        journal = _load(path)
    except _BrokenError:
        journal, notice = Journal(), _move_aside(path)
    edit(journal)
    _replace(path, msgspec.json.format(msgspec.json.encode(journal), indent=1))
    return notice


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_suffix(".lock"), timeout=LOCK_SECONDS)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        what = f"another program has been writing for {LOCK_SECONDS} seconds"
        raise _CannotKeepError(_not_kept(path, what)) from None
    except (OSError, NotImplementedError) as error:
        raise _CannotKeepError(_not_kept(path, _reason(error))) from None
    try:
        yield
    finally:
        lock.release()


def _load(path: Path) -> Journal:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Journal()
    except OSError as error:
        raise _CannotKeepError(_not_kept(path, f"it cannot be read: {_reason(error)}")) from None
    try:
        return msgspec.json.decode(text, type=Journal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _BrokenError from error


def _move_aside(path: Path) -> str:
    names = (path.with_suffix(f".broken-{number}.json") for number in range(1, 10_000))
    kept = next(name for name in names if not name.exists())
    try:
        path.rename(kept)
    except OSError as error:
        raise _CannotKeepError(_not_kept(path, f"it is broken, and {_reason(error)}")) from None
    return (
        "The file of your progress cannot be read: it is broken, or of another version of the "
        f"course. It is set aside as {kept}, and a new one begins."
    )


def _replace(path: Path, text: bytes) -> None:
    """Write beside the file, wait until the disk has it, and only then let it take the name."""
    beside = path.with_suffix(".new")
    try:
        with beside.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _settle(path.parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise _CannotKeepError(_not_kept(path, _reason(error))) from None


def _settle(folder: Path) -> None:
    """A new name is on the disk only when its folder is; Windows has no such step."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def _not_kept(path: Path, reason: str) -> str:
    return (
        f"This is not kept in your progress, {path}: {reason}. What stood there is unchanged. "
        f"Fix that, or name another file in {PLACE}, and go on."
    )


SOLUTION = 0


def note_attempt(exercise: str, report: Report, report_shown: bool = True) -> str:
    """Keep what a check said; return a notice or `""`.

    Args:
        exercise: its number.
        report: what was said.
        report_shown: False where the learner saw the verdict alone.
    """
    attempt = Attempt(
        exercise=exercise,
        verdict=report.verdict,
        score=report.score,
        max_score=report.max_score,
        device=report.device,
        report_shown=report_shown,
    )
    return keep(lambda journal: journal.add_attempt(attempt))


def note_help(exercise: str, number: int = SOLUTION) -> str:
    """Keep that a hint was taken, or the solution seen; return a notice or `""`."""
    return keep(lambda journal: journal.add_help(Help(exercise, number)))
