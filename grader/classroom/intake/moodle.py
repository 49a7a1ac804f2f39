"""Moodle's download: `Ada Lovelace_4711_assignsubmission_file_/03_member_tensors.py`."""

from __future__ import annotations

import re

from grader.classroom.intake.origin import Origin

# Without the option to download in folders, the file's name follows at once.
_NAME = re.compile(
    r"(?P<learner>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"
)


def moodle_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is, if a part of its path is one of Moodle's."""
    for i, part in enumerate(parts):
        match = _NAME.fullmatch(part)
        if match:
            file = (match["file"],) if match["file"] else ()
            path = (*file, *parts[i + 1 :]) or (part,)
            feedback_folder = f"{match['learner']}_{match['id']}_assignsubmission_file_"
            return Origin(match["learner"], match["id"], path, place=feedback_folder)
    return None
