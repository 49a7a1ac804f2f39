"""One learner's answer to one exercise, and what of it is graded."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.classroom.intake.documents import MOST_BYTES, Document, UnreadableError
from grader.classroom.intake.notebooks import (
    code_cells,
    place_of_class,
    script,
    without_experiments,
)
from grader.loading import decoded, own_modules
from grader.schema import Rubric


@dataclass(frozen=True)
class Answer:
    """One learner's answer to one exercise, not read yet.

    Attributes:
        learner: the name, which no other learner has. learner_id: what the platform calls them.
        handed_in: seconds since 1970, 0 if that is not known.
        others: all files of the learner.
    """

    learner: str
    learner_id: str
    rubric: Rubric
    handed_in: float
    late: bool
    document: Document
    others: list[Document] = field(repr=False)

    @property
    def file(self) -> str:
        """Its name, as it was handed in."""
        return "/".join(self.document.own)

    def source(self) -> bytes:
        """The bytes to grade: the file's, or the script that a notebook comes down to.

        Raises:
            UnreadableError: they cannot be read.
        """
        content = self.document.read()
        try:
            if is_notebook(self.file):
                return script(code_cells(content), self.rubric).encode("utf-8", "surrogatepass")
            text = decoded(content)
            graded = without_experiments(text, self.rubric)
        except (RecursionError, MemoryError):
            raise UnreadableError("holds code that is nested too deeply to be read") from None
        except (UnicodeError, SyntaxError, LookupError):
            return content  # the report says what is wrong with it
        if "\0" in text:
            raise UnreadableError("is no text that Python can read: save it as UTF-8")
        is_as_written = graded == text and b"\0" not in content  # UTF-16 has them
        return content if is_as_written else graded.encode()

    def modules(self) -> dict[str, bytes]:
        """The learner's own files that it imports, by their paths from its folder.

        Raises:
            UnreadableError: they, or it, cannot be read.
        """
        folder = self.document.own[:-1]
        beside = {
            "/".join(other.own[len(folder) :]): other
            for other in self.others
            if other.own[: len(folder)] == folder and other.name.endswith(".py")
        }

        def files_of(name: str) -> dict[str, bytes]:
            own = (file for file in beside if file == f"{name}.py" or file.startswith(f"{name}/"))
            return {file: beside[file].read() for file in own}

        found = own_modules(self.source().decode("utf-8", "replace"), files_of) if beside else {}
        if sum(map(len, found.values())) > MOST_BYTES:
            raise UnreadableError(f"imports files of over {MOST_BYTES // 1_000_000} MB")
        return found

    @property
    def time(self) -> str:
        """When it was handed in, in ISO format; `""` if that is not known."""
        if not self.handed_in:
            return ""
        return datetime.fromtimestamp(self.handed_in).astimezone().isoformat(timespec="seconds")


def is_notebook(file: str) -> bool:
    """Whether a file's name says that it is a notebook."""
    return file.lower().endswith(".ipynb")


def answer_lines(path: Path, file: str) -> list[str]:
    """What was graded, in lines as reports count them: of a notebook those of the class's cell.

    Args:
        path: where it is stored.
        file: how it was called when it was handed in.
    """
    place = place_of_class(path) if is_notebook(file) else None
    lines = path.read_text("utf-8", "replace").rstrip().split("\n")
    return lines[place.lines_before :] if place else lines
