"""One file that was handed in, wherever it lies; or why it cannot be read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from grader.classroom.intake.origin import NOBODY, Origin
from grader.errors import GraderError

MB = 1_000_000
MOST_BYTES = 10 * MB
READ = (".py", ".ipynb")
# May hold answers, and are not opened.
ARCHIVES = (".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".zst")
NOT_READ = "is neither a Python file, a notebook nor a zip"
# What platforms say of the submissions.
NOTES = ("submission_metadata.yml", "timestamp.txt", "submission_secret.txt")
# What tools leave behind, and what lies in every copy of the course: no one's answer.
CLUTTER = {
    *("__MACOSX", "__pycache__", "__pypackages__", ".DS_Store", "@eaDir", "$RECYCLE.BIN"),
    *("venv", ".venv", "site-packages", "dist-packages", "node_modules"),
    *("lightning_logs", "wandb", "mlruns", "htmlcov"),
    *("conftest.py", "nbval_sanitize.cfg", "pytest.ini"),
}
# Names that a person gives to a folder too: it is a tool's if one of these lies in it.
PERHAPS_CLUTTER = {
    "build": {"bdist", "lib"},
    "env": {"bin", "conda-meta", "include", "lib", "lib64", "scripts", "share"},
    "lib": {"python3"},
    "lib64": {"python3"},
}
CLUTTER_SUFFIXES = (".dist-info", ".egg-info", ".egg")
_ADDED = re.compile(r"(?<=\.py)\.txt$|(?<=\.ipynb)\.(?:txt|json)$", re.IGNORECASE)


class UnreadableError(GraderError):
    """A file cannot be read. The message says why, to follow its name."""


@dataclass(frozen=True)
class Document:
    """A file that was handed in: to read, or left out.

    Attributes:
        parts: its path below the submissions, where a zip is a part like a folder; of a folder that
            is left out, the last is empty.
        modified: seconds since 1970, 0 if that is not known.
        path: where it lies now, of a zip's where it was unpacked to.
        why: the reason why it is left out, to follow its name; `""` if it is not.
        is_answer: of one left out, whether it may be an answer, so that a person should look.
        origin: whose it is.
    """

    parts: tuple[str, ...]
    modified: float = 0.0
    path: Path = Path()
    why: str = ""
    is_answer: bool = False
    origin: Origin = NOBODY

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def file(self) -> str:
        """Its path, as a person would write it."""
        return "/".join(self.parts)

    @property
    def own(self) -> tuple[str, ...]:
        """Its path within what the learner handed in."""
        return self.origin.file or self.parts

    def read(self) -> bytes:
        """Its bytes, or UnreadableError."""
        try:
            with self.path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror or error}") from None
        if len(content) > MOST_BYTES:  # it has grown since its size was asked for
            raise UnreadableError(f"is too large (at most {MOST_BYTES // MB} MB)")
        return content

    def left_out(self, why: str, *, is_answer: bool = True) -> Document:
        return replace(self, why=why, is_answer=is_answer)


@dataclass(frozen=True)
class Unread:
    """Something that a learner handed in and nobody could read.

    Attributes:
        number: the exercise that its name tells, `""` if it may hold any.
        is_sure: whether it is of that exercise; a number alone may mean something else.
    """

    learner: str
    number: str
    document: Document
    is_sure: bool = True


def spelled(name: str) -> str:
    """A file's name as text that every format can hold; one letter, one spelling.

    Windows hides the end of `answer.py.txt`, and browsers add one to a notebook's.
    """
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _ADDED.sub("", unicodedata.normalize("NFC", text))


def is_clutter(parts: tuple[str, ...]) -> bool:
    """Whether a tool or the course put it there: no learner's answer.

    Args:
        parts: a file's path; for a folder, the last part is empty.
    """
    folders = parts[:-1]
    return (
        parts[-1].startswith("._")
        or any(part in CLUTTER for part in parts)
        or any(part.startswith(".") and part != ".." for part in folders)
        or any(part.endswith(CLUTTER_SUFFIXES) for part in folders)
        or any(_is_of_a_tool(*pair) for pair in pairwise(folders))
    )


def _is_of_a_tool(folder: str, inside: str) -> bool:
    """Whether `inside` shows that `folder` is a tool's: `env/lib`, `lib/python3.11`."""
    usual = PERHAPS_CLUTTER.get(folder.lower(), ())
    return inside.lower().partition(".")[0] in usual
