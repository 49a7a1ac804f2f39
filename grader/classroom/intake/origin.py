"""Whose a file is, by the name of the class's own entry that it is or lies in.

- Moodle's download: `Ada Lovelace_4711_assignsubmission_file_/03_member_tensors.py`.
- Canvas's: `lovelaceada_LATE_4711_90210_03_member_tensors-1.py`, all in one folder. The times in
  its zip are those of the download, so only `_LATE_` says that something is late. Feedback goes
  back under a name with the learner's number and the attachment's, here 4711 and 90210
  (`infer_comment_context_from_filename` in Canvas's assignment.rb).
- Without a platform: a folder or zip for each learner, or files that begin with the name.

What is below the class's own entries, a learner has named: it says nothing of whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from grader.classroom.intake.exercises import exercise_in_name, starts_with_stem

# Without the option to download in folders, the file's name follows at once.
_MOODLE = re.compile(
    r"(?P<learner>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"
)
_CANVAS = re.compile(
    r"(?P<learner>[^_].*?)(?P<late>_late)?_(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Origin:
    """Who handed a file in, and when, as far as its path and its platform tell.

    Attributes:
        learner_id: what the platform calls the learner, `""` if it does not.
        file: the file's path within what the learner handed in.
        late: whether the platform itself says that it is late.
        handed_in: seconds since 1970 if the platform says so, else 0.
        is_sure: whether the name is a learner's for sure; a file's alone may be anything.
        is_dated: whether the file's own time may say when it was handed in.
        platform: `moodle`, `canvas`, `gradescope` or `nbgrader`; `""` without one.
        receipt: by what the platform takes feedback on it back; `""` if it does not.
    """

    learner: str
    learner_id: str
    file: tuple[str, ...]
    late: bool = False
    handed_in: float = 0.0
    is_sure: bool = True
    is_dated: bool = True
    platform: str = ""
    receipt: str = ""


NOBODY = Origin("", "", ())


def origin_of(parts: tuple[str, ...], noted: Mapping[tuple[str, ...], Origin]) -> Origin:
    """Whose a file is, by the first way that knows its path; the plain one takes nearly any.

    Args:
        parts: the path.
        noted: by a folder, what a platform notes of it.
    """
    return (
        moodle_origin(parts)
        or canvas_origin(parts)
        or noted_origin(parts, noted)
        or plain_origin(parts)
        or NOBODY
    )


def noted_origin(parts: tuple[str, ...], noted: Mapping[tuple[str, ...], Origin]) -> Origin | None:
    """Whose a file is, if a platform's notes name its folder."""
    for i in (1, 2):
        if len(parts) > i and parts[:i] in noted:
            origin = noted[parts[:i]]
            return replace(origin, file=(*origin.file, *parts[i:]))
    return None


def moodle_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is, if its path begins as Moodle's do."""
    match = _MOODLE.fullmatch(parts[0])
    if match is None:
        return None
    file = (match["file"],) if match["file"] else ()
    path = (*file, *parts[1:]) or parts
    number = match["id"]
    return Origin(match["learner"], number, path, platform="moodle", receipt=number)


def canvas_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is, if its path begins as Canvas's do."""
    match = _CANVAS.fullmatch(parts[0])
    if match is None or starts_with_stem(f"{match['submission']}_{match['file']}"):
        return None  # the second is a learner called `ada_2026`, with a file `03_member_tensors`
    return Origin(
        match["learner"],
        match["id"],
        (match["file"], *parts[1:]),
        late=bool(match["late"]),
        is_dated=False,
        platform="canvas",
        receipt=f"{match['id']}_{match['submission']}",
    )


def plain_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is: the folder's name, or what stands in the file's before the exercise.

    None for a file such as `03_member_tensors.py` that lies in nobody's folder.
    """
    first = parts[0]
    is_zip = len(parts) > 1 and first.lower().endswith(".zip")
    if len(parts) > 1 and not is_zip:
        return Origin(first, "", parts[1:])
    stem = first.rpartition(".")[0].removesuffix(".tar")
    exercise = exercise_in_name(stem)
    learner = (exercise.before if exercise else stem).rstrip(" _-.")
    if not learner:
        return None
    return Origin(learner, "", parts[1:] if is_zip else parts, is_sure=False)
