"""The files of a zip, read one by one and never unpacked to the disk.

Nothing is believed of a zip: its names are only shown, a size is a limit before it is a promise,
and what a link leads to is not looked at.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from time import mktime

from grader.classroom.intake.documents import (
    MOST_BYTES,
    NOT_READ,
    NOTES,
    READ,
    Document,
    LeftOut,
    UnreadableError,
    is_clutter,
    spelled,
)

MOST_FILES = 2_000  # in what one learner handed in
MOST_UNPACKED = 100_000_000
DEEPEST = 2  # a platform's zip of the class, which holds the zips of its learners
ENCRYPTED, IS_UTF8 = 0x1, 0x800
MB = 1_000_000

Inner = tuple[str, ...]  # the zips within the zip, from the outside in


def files_of_zip(
    path: Path, parts: tuple[str, ...], handed_in: float | None = None
) -> Iterator[Document | LeftOut]:
    """Every file in a zip and in the zips that it holds.

    Args:
        path: where the zip lies.
        parts: how it is called below the submissions.
        handed_in: when a learner handed it in, which is the time of all that is in it: the times
            inside are the learner's to write. None for a platform's download of a class, which may
            be as large as it likes.
    """
    depth = DEEPEST if handed_in is None else DEEPEST - 1
    yield from _files(path, (), parts, depth, handed_in)


def _files(
    path: Path, inner: Inner, parts: tuple[str, ...], depth: int, handed_in: float | None
) -> Iterator[Document | LeftOut]:
    shown = parts or (path.name,)
    try:
        listed = [member for member in _opened(path, inner).infolist() if not member.is_dir()]
    except UnreadableError as error:
        yield LeftOut(shown, str(error), is_answer=True)
        return
    members = [member for member in listed if not is_clutter(_parts(parts, member))]
    bomb = "" if handed_in is None else _too_much(members)
    if bomb:
        yield LeftOut(shown, bomb, is_answer=True)
        return
    for member in members:
        time = _modified(member) if handed_in is None else handed_in
        yield from _member(path, inner, _parts(parts, member), member, depth, time)


def _member(
    path: Path,
    inner: Inner,
    parts: tuple[str, ...],
    member: zipfile.ZipInfo,
    depth: int,
    time: float,
) -> Iterator[Document | LeftOut]:
    name = _name(member)
    suffix = PurePosixPath(parts[-1]).suffix.lower()
    why = _reason_to_skip(name, member)
    if why:
        yield LeftOut(parts, why, is_answer=True)
    elif suffix == ".zip" and not depth:
        yield LeftOut(parts, "is a zip in a zip in a zip, which is too deep", is_answer=True)
    elif suffix == ".zip":
        yield from _files(path, (*inner, member.filename), parts, depth - 1, time)
    elif suffix in READ or parts[-1] in NOTES:
        yield Document(parts, time, partial(_read, path, inner, member))
    else:
        yield LeftOut(parts, NOT_READ, is_answer=False)


def _parts(above: tuple[str, ...], member: zipfile.ZipInfo) -> tuple[str, ...]:
    return (*above, *(spelled(part) for part in PurePosixPath(_name(member)).parts))


def _too_much(members: list[zipfile.ZipInfo]) -> str:
    """Why a learner's zip is not looked through, or `""`."""
    if len(members) > MOST_FILES:
        return f"holds {len(members):,} files (at most {MOST_FILES:,})"
    read = (*READ, ".zip")
    size = sum(
        member.file_size for member in members if spelled(member.filename).lower().endswith(read)
    )
    if size > MOST_UNPACKED:
        return f"unpacks to {size // MB:,} MB (at most {MOST_UNPACKED // MB})"
    return ""


def _reason_to_skip(name: str, member: zipfile.ZipInfo) -> str:
    """Why a member is not read, or `""`."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in member.orig_filename or name[1:2] == ":":
        return "has a name that leads out of its zip"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a symbolic link, and may lead anywhere"
    if member.flag_bits & ENCRYPTED:
        return "needs a password"
    if path.suffix.lower() in (*READ, ".zip") and member.file_size > MOST_BYTES:
        return f"is too large ({member.file_size // MB:,} MB unpacked; at most {MOST_BYTES // MB})"
    return ""


def _name(member: zipfile.ZipInfo) -> str:
    """Its path; Windows writes some with backslashes, and macOS does not say that it is UTF-8."""
    name = member.filename
    if not member.flag_bits & IS_UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _modified(member: zipfile.ZipInfo) -> float:
    try:
        return mktime((*member.date_time, 0, 0, -1))
    except (OverflowError, ValueError):
        return 0.0


def _read(path: Path, inner: Inner, member: zipfile.ZipInfo) -> bytes:
    with _errors_in_words(), _opened(path, inner).open(member) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UnreadableError(f"is too large (at most {MOST_BYTES // MB} MB)")
    return content


@lru_cache(maxsize=4)  # its files are read one after the other
def _opened(path: Path, inner: Inner) -> zipfile.ZipFile:
    with _errors_in_words():
        if not inner:
            return zipfile.ZipFile(path)
        outer = _opened(path, inner[:-1])
        return zipfile.ZipFile(io.BytesIO(_read(path, inner[:-1], outer.getinfo(inner[-1]))))


@contextmanager
def _errors_in_words() -> Iterator[None]:
    """Say in words what is wrong with a zip."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError) as error:
        raise UnreadableError(f"is a broken zip ({error})") from None
    except (NotImplementedError, RuntimeError) as error:
        raise UnreadableError(f"is packed in a way that cannot be read ({error})") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from None
