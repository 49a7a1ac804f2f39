"""The files of a folder, as they lie on the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

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
from grader.classroom.intake.zips import files_of_zip


def files_of(root: Path) -> Iterator[Document | LeftOut]:
    """Every file of a folder or a zip, in the order of their names.

    Raises:
        OSError: the folder itself cannot be read.
        UnreadableError: the zip itself cannot be read.
    """
    if root.is_dir():
        yield from _folder(root, ())
    elif root.suffix.lower() == ".zip":
        yield from files_of_zip(root, ())
    else:
        yield from _file(root, (spelled(root.name),), root.stat())


def _folder(folder: Path, above: tuple[str, ...]) -> Iterator[Document | LeftOut]:
    found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    entries = [entry for entry in found if not is_clutter(_parts(entry, above))]
    if above and not found:
        yield LeftOut((*above, ""), "is empty", is_answer=False)
    for entry in entries:
        parts = (*above, spelled(entry.name))
        try:
            if entry.is_dir(follow_symlinks=False):
                inside = list(_folder(Path(entry.path), parts))
                is_learners = not above
                if is_learners and not inside:
                    inside = [LeftOut((*parts, ""), "holds only what tools make", is_answer=False)]
                yield from inside
            else:
                yield from _file(Path(entry.path), parts, entry.stat(follow_symlinks=False))
        except (OSError, UnreadableError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            where = (*parts, "") if entry.is_dir(follow_symlinks=False) else parts
            yield LeftOut(where, f"cannot be read: {why}", is_answer=True)


def _parts(entry: os.DirEntry[str], above: tuple[str, ...]) -> tuple[str, ...]:
    """The path of an entry; a folder's ends in an empty part."""
    end = ("",) if entry.is_dir(follow_symlinks=False) else ()
    return (*above, spelled(entry.name), *end)


def _file(
    path: Path, parts: tuple[str, ...], status: os.stat_result
) -> Iterator[Document | LeftOut]:
    suffix = Path(parts[-1]).suffix.lower()
    if stat.S_ISLNK(status.st_mode):
        yield LeftOut(parts, "is a symbolic link, and may lead anywhere", is_answer=True)
    elif not stat.S_ISREG(status.st_mode):
        yield LeftOut(parts, "is no ordinary file", is_answer=True)
    elif suffix in (*READ, ".zip") and status.st_size > MOST_BYTES:
        size = status.st_size // 1_000_000
        why = f"is too large ({size} MB; at most {MOST_BYTES // 1_000_000})"
        yield LeftOut(parts, why, is_answer=True)
    elif suffix == ".zip":
        yield from files_of_zip(path, parts, status.st_mtime)
    elif suffix in READ or path.name in NOTES:
        yield Document(parts, status.st_mtime, partial(_read, path))
    else:
        yield LeftOut(parts, NOT_READ, is_answer=False)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror or error}") from None
    if len(content) > MOST_BYTES:  # it has grown since its size was asked for
        raise UnreadableError(f"is too large (at most {MOST_BYTES // 1_000_000} MB)")
    return content
