"""nbgrader's `submitted/ada/03_member_tensors/`: its `timestamp.txt` says when it was handed in.

`nbgrader release_feedback` wants that file and `submission_secret.txt` next to the feedback
(nbgrader/exchange/default/release_feedback.py), so what they say is the place for feedback.
They count in a class called `submitted`, where nbgrader wrote them over a learner's own; elsewhere
a learner may have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from grader.classroom.intake.documents import Document, UnreadableError
from grader.classroom.intake.origin import Origin

SUBMITTED = "submitted"
TIMESTAMP, SECRET = "timestamp.txt", "submission_secret.txt"
FORMAT = "%Y-%m-%d %H:%M:%S.%f %Z"  # of nbgrader's own, unless it is set to another


@dataclass(frozen=True)
class Nbgrader:
    """By the folder of a submission, when it was handed in, and the place for feedback."""

    receipts: dict[tuple[str, ...], tuple[float, str]]
    notes: frozenset[tuple[str, ...]]  # the files that say it

    def origin(self, parts: tuple[str, ...]) -> Origin | None:
        """Whose a file is, if nbgrader says when it was handed in."""
        if len(parts) < 3 or parts[:2] not in self.receipts:
            return None
        handed_in, receipt = self.receipts[parts[:2]]
        return Origin(parts[0], "", parts[1:], handed_in=handed_in, place=receipt)


def nbgrader(name: str, documents: Iterable[Document]) -> Nbgrader:
    """Read what nbgrader noted of each submission, if the class is called as nbgrader's is."""
    notes: dict[tuple[str, ...], dict[str, str]] = {}
    found = [file for file in documents if file.name in (TIMESTAMP, SECRET)]
    found = [file for file in found if name == SUBMITTED and len(file.parts) == 3]
    for document in found:
        notes.setdefault(document.parts[:2], {})[document.name] = _text(document)
    receipts = {
        folder: (_seconds(texts[TIMESTAMP]), f"{texts[TIMESTAMP]}\n{texts.get(SECRET, '')}")
        for folder, texts in notes.items()
        if texts.get(TIMESTAMP)
    }
    return Nbgrader(receipts, frozenset(file.parts for file in found))


def _text(document: Document) -> str:
    """The one line that it holds; `""` if it holds anything else."""
    try:
        text = document.read().decode("utf-8").strip()
    except (UnreadableError, UnicodeDecodeError):
        return ""
    return text if "\n" not in text else ""


def _seconds(text: str) -> float:
    """Seconds since 1970; 0 for a zone that is not UTC, whose name alone says little."""
    try:
        when = datetime.strptime(text, FORMAT)
    except ValueError:
        return 0.0
    return when.replace(tzinfo=UTC).timestamp() if text.endswith("UTC") else 0.0
