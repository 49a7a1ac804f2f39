"""Gradescope's export: `submission_4711/…`, and who that is in `submission_metadata.yml`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import yaml

from grader.classroom.intake.documents import Document, UnreadableError
from grader.classroom.intake.origin import Origin

METADATA = "submission_metadata.yml"


@dataclass(frozen=True)
class Gradescope:
    """What the metadata say: by the folder of a submission, who handed it in, and when."""

    people: dict[tuple[str, ...], tuple[str, str, float]]

    def origin(self, parts: tuple[str, ...]) -> Origin | None:
        """Whose a file is, if it is in a folder that the metadata name."""
        for i in range(1, len(parts)):
            if parts[:i] in self.people:
                learner, learner_id, handed_in = self.people[parts[:i]]
                return Origin(learner, learner_id, parts[i:], handed_in=handed_in)
        return None


class _RubyLoader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML as Ruby on Rails writes it, whose times are objects."""


def _ruby_object(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.MappingNode):
        return None
    fields = loader.construct_mapping(node, deep=True)
    return fields.get("utc") if suffix.endswith("TimeWithZone") else fields


_RubyLoader.add_multi_constructor("!ruby/", _ruby_object)


def gradescope(documents: Iterable[Document]) -> Gradescope:
    """Read the metadata among these files, if there are any.

    Raises:
        UnreadableError: the metadata are not what Gradescope writes.
    """
    people: dict[tuple[str, ...], tuple[str, str, float]] = {}
    for document in documents:
        if document.name == METADATA:
            for name, fields in _metadata(document).items():
                people[(*document.parts[:-1], str(name))] = _person(str(name), fields)
    return Gradescope(people)


def _metadata(document: Document) -> dict[str, Any]:
    try:
        content = yaml.load(document.read(), Loader=_RubyLoader)
    except yaml.YAMLError as error:
        raise UnreadableError(f"{document.file} is not YAML: {error}") from None
    if not isinstance(content, dict):
        raise UnreadableError(f"{document.file} does not name the submissions of a class")
    return content


def _person(folder: str, fields: Any) -> tuple[str, str, float]:
    """A learner's name and ID, and the time; a group hands in under the names of all."""
    fields = fields if isinstance(fields, dict) else {}
    people = [
        submitter for submitter in fields.get(":submitters") or [] if isinstance(submitter, dict)
    ]
    names = [str(person.get(":name") or person.get(":email") or folder) for person in people]
    ids = [str(person.get(":sid") or person.get(":email") or "") for person in people]
    return ", ".join(names) or folder, ", ".join(filter(None, ids)), _time(fields)


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
