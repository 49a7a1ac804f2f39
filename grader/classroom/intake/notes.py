"""What a platform notes next to the submissions: whose each is, and when it was handed in.

Gradescope exports `submission_4711/…`, and who that is in `submission_metadata.yml`. The metadata
count only next to those folders, where the class itself lies or in Gradescope's own
`assignment_1_export`. A learner may hand in a file of that name too, to be taken for somebody else.

nbgrader's `submitted/ada/03_member_tensors/` has a `timestamp.txt`. `nbgrader release_feedback`
wants that file and `submission_secret.txt` next to the feedback
(nbgrader/exchange/default/release_feedback.py), so what they say is the receipt. They count in a
class called `submitted`, where nbgrader wrote them over a learner's own; elsewhere a learner may
have.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

import yaml

from grader.classroom.intake.documents import Document, UnreadableError
from grader.classroom.intake.origin import Origin

Parts = tuple[str, ...]
METADATA = "submission_metadata.yml"
SUBMITTED = "submitted"
TIMESTAMP, SECRET = "timestamp.txt", "submission_secret.txt"
FORMAT = "%Y-%m-%d %H:%M:%S.%f %Z"  # of nbgrader's own, unless it is set to another
_EXPORT = re.compile(r"assignment_\d+_export")
_SUBMISSION = re.compile(r"submission_\d+")


class _RubyLoader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as Ruby on Rails writes it, whose times are objects.

    Without merge keys (`<<`), which copy what they name: a few lines of them fill the memory.
    """

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        pass


def _ruby_object(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.MappingNode):
        return None
    fields = loader.construct_mapping(node, deep=True)
    return fields.get("utc") if suffix.endswith("TimeWithZone") else fields


_RubyLoader.add_multi_constructor("!ruby/", _ruby_object)


Noted = tuple[dict[Parts, Origin], list[Document]]


def noted_in(name: str, documents: list[Document]) -> tuple[dict[Parts, Origin], set[Parts]]:
    """By the folder of a submission, who handed it in, and when; and the files that say it.

    Args:
        name: the class's folder or zip.
        documents: all files in it.

    Raises:
        UnreadableError: the metadata are not what Gradescope writes.
    """
    (origins, notes), (more, others) = _gradescope(documents), _nbgrader(name, documents)
    return origins | more, {note.parts for note in (*notes, *others)}


def _gradescope(documents: list[Document]) -> Noted:
    """Nothing if it is no export of Gradescope's, or several."""
    found = [file for file in documents if file.name == METADATA and _is_of_class(file, documents)]
    return {
        (*document.parts[:-1], name): _origin(name, fields)
        for document in found
        for name, fields in _metadata(document).items()
        if isinstance(name, str) and _SUBMISSION.fullmatch(name)
    }, found


def _is_of_class(metadata: Document, documents: list[Document]) -> bool:
    """Whether it lies where Gradescope puts it: next to submissions' folders alone."""
    export = metadata.parts[:-1]
    if export and (len(export) > 1 or not _EXPORT.fullmatch(export[0])):
        return False
    depth = len(export)
    inside = [file.parts[depth:] for file in documents if file.parts[:depth] == export]
    folders = {parts[0] for parts in inside if len(parts) > 1}
    return bool(folders) and all(map(_SUBMISSION.fullmatch, folders))


def _metadata(document: Document) -> dict[str, Any]:
    try:
        content = yaml.load(document.read(), Loader=_RubyLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # such as 2030-02-31
        raise UnreadableError(f"{document.file} is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise UnreadableError(f"{document.file} does not name the submissions of a class")
    return content


def _origin(folder: str, fields: Any) -> Origin:
    """A learner's name and ID, and the time; a group hands in under the names of all."""
    fields = fields if isinstance(fields, dict) else {}
    listed = fields.get(":submitters")
    people = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    names = [_text(person, ":name", ":email") or folder for person in people]
    ids = [_text(person, ":sid", ":email") for person in people]
    return Origin(
        ", ".join(names) or folder,
        ", ".join(filter(None, ids)),
        (),
        handed_in=_time(fields),
        platform="gradescope",
    )


def _text(person: dict[str, Any], *keys: str) -> str:
    """The first of these that is text or a number: `str()` of a list of aliases may have no end."""
    values = (person.get(key) for key in keys)
    return next((str(value) for value in values if value and isinstance(value, str | int)), "")


def _time(fields: dict[str, Any]) -> float:
    when = fields.get(":created_at")
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when)
        except ValueError:
            return 0.0
    if isinstance(when, datetime):
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    if isinstance(when, date):
        return datetime(when.year, when.month, when.day, tzinfo=UTC).timestamp()
    return 0.0


def _nbgrader(name: str, documents: list[Document]) -> Noted:
    """Nothing if the class is not called as nbgrader's is."""
    notes: dict[Parts, dict[str, str]] = {}
    found = [file for file in documents if file.name in (TIMESTAMP, SECRET)]
    found = [file for file in found if name == SUBMITTED and len(file.parts) == 3]
    for document in found:
        notes.setdefault(document.parts[:2], {})[document.name] = _one_line(document)
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


def _one_line(document: Document) -> str:
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
