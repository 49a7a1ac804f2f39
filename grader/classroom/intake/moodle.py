"""Moodle's download: `Ada Lovelace_4711_assignsubmission_file_/03_member_tensors.py`.

Only an entry of the class's own is Moodle's: what is below it, a learner has named.
"""

from __future__ import annotations

import re

from grader.classroom.intake.origin import Origin

# Without the option to download in folders, the file's name follows at once.
_NAME = re.compile(
    r"(?P<learner>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"
)


def moodle_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is, if its path begins as Moodle's do."""
    match = _NAME.fullmatch(parts[0])
    if match is None:
        return None
    file = (match["file"],) if match["file"] else ()
    path = (*file, *parts[1:]) or parts
    feedback_folder = f"{match['learner']}_{match['id']}_assignsubmission_file_"
    return Origin(match["learner"], match["id"], path, place=feedback_folder)
