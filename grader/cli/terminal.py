"""What a terminal gets where something is missing: signs for one that is not UTF-8, and errors.

What the operating system refused is a sentence with the folder and the next step.
"""

from __future__ import annotations

import codecs
import errno
import io
import shutil
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What ASCII has in their place; accents are dropped, and anything else is a question mark.
SIGNS = {"→": "->", "←": "<-", "…": "..."}
_ONE = "✓✗·•—\N{EN DASH}\N{MULTIPLICATION SIGN}─━│█"
SIGNS |= dict(zip(_ONE, "+x**--x--|#", strict=True))


def print_other_signs() -> None:
    """Replace what standard output and error cannot encode, from here on."""
    codecs.register_error("grader.signs", _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="grader.signs")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_sign, error.object[error.start : error.end])), error.end


def _sign(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return SIGNS.get(letter) or plain or "?"


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
