"""What the operating system refused, as a sentence with the folder and the next step."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NO_ROOM = {errno.ENOSPC: "The disk is full", errno.EDQUOT: "Your quota is used up"}
NEXT = "Nothing that was written before is lost: run the same command again to go on."


def in_words(error: OSError) -> str:
    """The message for an error; one that has no number is a sentence of the grader's already."""
    if error.errno in NO_ROOM:
        folder = _folder(error) or _full() or Path.cwd()
        return (
            f"{NO_ROOM[error.errno]} where {folder} is. Free some space, or name a folder on "
            f"another disk. {NEXT}"
        )
    if error.errno == errno.EROFS:
        return (
            f"{_folder(error) or Path.cwd()} is on a file system that can only be read. Name a "
            "folder that you can write to."
        )
    return str(error)


@contextmanager
def about(folder: Path) -> Iterator[None]:
    """Give `folder` to an error that names no file, as when a disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno and error.filename is None:
            error.filename = str(folder)
        raise


def _folder(error: OSError) -> Path | None:
    """The folder of the file that could not be written, or itself if it is one."""
    if not isinstance(error.filename, str | Path):
        return None
    path = Path(error.filename)
    return path if path.is_dir() else path.parent


def _full() -> Path | None:
    """The temporary folder, if that is what is full."""
    folder = Path(tempfile.gettempdir())
    with suppress(OSError):
        return folder if shutil.disk_usage(folder).free < 1_000_000 else None
    return None
