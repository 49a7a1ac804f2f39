"""The files of a folder or a zip. Those in a zip are unpacked once, under names of our own.

Nothing is believed of a zip: its names are only shown, a size is a limit before it is a promise,
and what a link leads to is not looked at.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from time import mktime

from grader.classroom.intake.documents import (
    MB,
    MOST_BYTES,
    NOT_READ,
    NOTES,
    READ,
    Document,
    UnreadableError,
    is_clutter,
    spelled,
)

MOST_FILES = 2_000  # in what one learner handed in
MOST_UNPACKED = 100 * MB
DEEPEST = 2  # a platform's zip of the class, which holds the zips of its learners
ENCRYPTED, IS_UTF8 = 0x1, 0x800
OPENED = (*READ, ".zip")
A_LINK = "is a symbolic link, and may lead anywhere"
Parts = tuple[str, ...]


def files_of(root: Path, unpacked: Path) -> Iterator[Document]:
    """Every file of a folder or a zip, in the order of their names.

    Args:
        root: the folder or zip.
        unpacked: the folder for the files of zips.

    Raises:
        OSError: the folder itself cannot be read.
    """
    if root.is_dir():
        yield from _folder(root, (), unpacked)
    elif root.suffix.lower() == ".zip":
        yield from _Zip(unpacked, DEEPEST, None).files(root, ())
    else:
        yield from _file(root, (spelled(root.name),), root.stat(), unpacked)


def _folder(folder: Path, above: Parts, unpacked: Path) -> Iterator[Document]:
    found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    if above and not found:
        yield Document((*above, "")).left_out("is empty", is_answer=False)
    for entry in found:
        parts, is_folder = (*above, spelled(entry.name)), entry.is_dir(follow_symlinks=False)
        whole = (*parts, "") if is_folder else parts
        if is_clutter(whole):
            continue
        try:
            if is_folder:
                inside = list(_folder(Path(entry.path), parts, unpacked))
                if not above and not inside:  # a learner's
                    why = "holds only what tools make"
                    yield Document(whole).left_out(why, is_answer=False)
                yield from inside
            else:
                status = entry.stat(follow_symlinks=False)
                yield from _file(Path(entry.path), parts, status, unpacked)
        except OSError as error:
            yield Document(whole).left_out(f"cannot be read: {error.strerror}")


def _file(path: Path, parts: Parts, status: os.stat_result, unpacked: Path) -> Iterator[Document]:
    document = Document(parts, status.st_mtime, path)
    suffix = Path(parts[-1]).suffix.lower()
    if stat.S_ISLNK(status.st_mode):
        yield document.left_out(A_LINK)
    elif not stat.S_ISREG(status.st_mode):
        yield document.left_out("is no ordinary file")
    elif suffix in OPENED and status.st_size > MOST_BYTES:
        size = f"{status.st_size // MB} MB; at most {MOST_BYTES // MB}"
        yield document.left_out(f"is too large ({size})")
    elif suffix == ".zip":
        yield from _Zip(unpacked, DEEPEST - 1, status.st_mtime).files(path, parts)
    elif suffix in READ or path.name in NOTES:
        yield document
    else:
        yield document.left_out(NOT_READ, is_answer=False)


class _Zip:
    """What a zip holds, and the zips in it.

    Args:
        unpacked: the folder for its files.
        depth: how many zips may lie in one another inside.
        handed_in: when a learner handed it in, which is the time of all that is in it: the times
            inside are the learner's to write. None for a platform's download of a class, which may
            be as large as it likes.
    """

    def __init__(self, unpacked: Path, depth: int, handed_in: float | None) -> None:
        self._unpacked, self._depth, self._handed_in = unpacked, depth, handed_in

    def files(self, path: Path, above: Parts) -> Iterator[Document]:
        whole = Document(above or (path.name,))
        try:
            with _errors_in_words():
                archive = zipfile.ZipFile(path)
        except UnreadableError as error:
            yield whole.left_out(str(error))
            return
        with archive:
            listed = [member for member in archive.infolist() if not member.is_dir()]
            members = [(parts, m) for m in listed if not is_clutter(parts := _parts(above, m))]
            bomb = "" if self._handed_in is None else _too_much(members)
            if bomb:
                yield whole.left_out(bomb)
                return
            for parts, member in members:
                try:
                    yield from self._member(archive, parts, member)
                except UnreadableError as error:
                    yield Document(parts).left_out(str(error))

    def _member(
        self, archive: zipfile.ZipFile, parts: Parts, member: zipfile.ZipInfo
    ) -> Iterator[Document]:
        time = _modified(member) if self._handed_in is None else self._handed_in
        suffix = PurePosixPath(parts[-1]).suffix.lower()
        if why := _reason_to_skip(member):
            raise UnreadableError(why)
        if suffix == ".zip" and not self._depth:
            raise UnreadableError("is a zip in a zip in a zip, which is too deep")
        if suffix not in OPENED and parts[-1] not in NOTES:
            yield Document(parts).left_out(NOT_READ, is_answer=False)
            return
        path = self._unpack(archive, member)
        if suffix == ".zip":
            yield from _Zip(self._unpacked, self._depth - 1, time).files(path, parts)
        else:
            yield Document(parts, time, path)

    def _unpack(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Path:
        with _errors_in_words(), archive.open(member) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UnreadableError(f"is too large (at most {MOST_BYTES // MB} MB)")
        path = self._unpacked / hashlib.sha256(content).hexdigest()
        path.write_bytes(content)
        return path


def _parts(above: Parts, member: zipfile.ZipInfo) -> Parts:
    return (*above, *(spelled(part) for part in PurePosixPath(_name(member)).parts))


def _too_much(members: list[tuple[Parts, zipfile.ZipInfo]]) -> str:
    """Why a learner's zip is not looked through, or `""`."""
    if len(members) > MOST_FILES:
        return f"holds {len(members):,} files (at most {MOST_FILES:,})"
    size = sum(m.file_size for parts, m in members if parts[-1].lower().endswith(OPENED))
    if size > MOST_UNPACKED:
        return f"unpacks to {size // MB:,} MB (at most {MOST_UNPACKED // MB})"
    return ""


def _reason_to_skip(member: zipfile.ZipInfo) -> str:
    """Why a member is not read, or `""`."""
    name = _name(member)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in member.orig_filename or name[1:2] == ":":
        return "has a name that leads out of its zip"
    if stat.S_ISLNK(member.external_attr >> 16):
        return A_LINK
    if member.flag_bits & ENCRYPTED:
        return "needs a password"
    if path.suffix.lower() in OPENED and member.file_size > MOST_BYTES:
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
