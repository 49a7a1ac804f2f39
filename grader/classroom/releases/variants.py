"""The variants of a class as they are given to it: a zip for each learner, and two ways to send it.

| path | what it is |
| --- | --- |
| `hand_out/VARIANT.zip` | the learner's folder: unpacked, a folder for each exercise |
| `hand_out/mail_merge.csv` | who gets which, to attach: name, email, id, section, group, file |
| `hand_out/moodle.zip` | for *Upload multiple feedback files in a zip*, if the roster is Moodle's |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.classroom.assignments.folder import HAND_OUT, Assignment
from grader.classroom.results.exports.feedback import moodle_path, zipped
from grader.classroom.results.exports.tables import to_csv
from grader.classroom.results.term import Enrolled

COLUMNS = ("name", "email", "id", "section", "group", "file")
MAIL_MERGE, FOR_MOODLE = "mail_merge.csv", "moodle.zip"


def pack_hand_outs(
    folder: Path, assignment: Assignment, people: Sequence[Enrolled]
) -> tuple[Path, ...]:
    """Write them below an assignment's folder.

    Args:
        folder: of the assignment.
        assignment: drawn for those people, in this order.
        people: as the roster has them.

    Returns:
        The files that send all of the zips: the mail merge, and Moodle's.

    Raises:
        OSError: they cannot be written.
    """
    hand_out = folder.resolve() / HAND_OUT
    for name in assignment.variants:
        (hand_out / f"{name}.zip").write_bytes(zipped(_files(hand_out / name)))
    rows = list(_rows(assignment, people))
    (hand_out / MAIL_MERGE).write_text(to_csv([COLUMNS, *rows]), encoding="utf-8")
    in_moodle = _in_moodle(hand_out, assignment, people)
    if not in_moodle:
        return (hand_out / MAIL_MERGE,)
    (hand_out / FOR_MOODLE).write_bytes(zipped(in_moodle))
    return hand_out / MAIL_MERGE, hand_out / FOR_MOODLE


def _files(folder: Path) -> dict[str, str]:
    files = sorted(folder.rglob("*.*"))
    return {f.relative_to(folder).as_posix(): f.read_text(encoding="utf-8") for f in files}


def _rows(assignment: Assignment, people: Sequence[Enrolled]) -> Iterator[tuple[str, ...]]:
    for person, variant in zip(people, assignment.variants, strict=True):
        known = person.name, person.email, person.learner_id, person.section, person.group
        yield *known, f"{variant}.zip"


def _in_moodle(
    hand_out: Path, assignment: Assignment, people: Sequence[Enrolled]
) -> dict[str, bytes]:
    """By its path, each learner's zip."""
    files = {}
    for person, variant in zip(people, assignment.variants, strict=True):
        if person.participant:
            path = moodle_path(person.name, person.participant, f"{hand_out.parent.name}.zip")
            files[path] = (hand_out / f"{variant}.zip").read_bytes()
    return files
