"""nbgrader's `submitted/ada/03_member_tensors/`: its `timestamp.txt` says when it was handed in.

`nbgrader release_feedback` wants that file and `submission_secret.txt` next to the feedback
(nbgrader/exchange/default/release_feedback.py), so what they say is the receipt.
They count in a class called `submitted`, where nbgrader wrote them over a learner's own; elsewhere
a learner may have.
"""

from __future__ import annotations

from datetime import UTC, datetime

from grader.classroom.intake.documents import Document, UnreadableError
from grader.classroom.intake.origin import Origin

SUBMITTED = "submitted"
TIMESTAMP, SECRET = "timestamp.txt", "submission_secret.txt"
FORMAT = "%Y-%m-%d %H:%M:%S.%f %Z"  # of nbgrader's own, unless it is set to another


def nbgrader(
    name: str, documents: list[Document]
) -> tuple[dict[tuple[str, ...], Origin], list[Document]]:
    """By the folder of a submission, whose it is, and when it was handed in; and who says it.

    Nothing if the class is not called as nbgrader's is.
    """
    notes: dict[tuple[str, ...], dict[str, str]] = {}
    found = [file for file in documents if file.name in (TIMESTAMP, SECRET)]
    found = [file for file in found if name == SUBMITTED and len(file.parts) == 3]
    for document in found:
        notes.setdefault(document.parts[:2], {})[document.name] = _text(document)
    return {
        (learner, assignment): Origin(
            learner,
            "",
            (assignment,),
            handed_in=_seconds(texts[TIMESTAMP]),
            platform="nbgrader",
            receipt=f"{texts[TIMESTAMP]}\n{texts.get(SECRET, '')}",
        )
        for (learner, assignment), texts in notes.items()
        if texts.get(TIMESTAMP)
    }, found


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
