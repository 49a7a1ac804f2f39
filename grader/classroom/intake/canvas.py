"""Canvas's download: `lovelaceada_LATE_4711_90210_03_member_tensors-1.py`, all in one folder.

The times in its zip are those of the download, so only `_LATE_` says that something is late.
Feedback goes back under a name with the learner's number and the attachment's, here 4711 and 90210
(`infer_comment_context_from_filename` in Canvas's assignment.rb).
"""

from __future__ import annotations

import re

from grader.classroom.intake.exercises import starts_with_stem
from grader.classroom.intake.origin import Origin

_NAME = re.compile(
    r"(?P<learner>[^_].*?)(?P<late>_late)?_(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)",
    re.IGNORECASE,
)


def canvas_origin(parts: tuple[str, ...]) -> Origin | None:
    """Whose a file is, if its name or that of the zip it is in is one of Canvas's."""
    for i, part in enumerate(parts):
        match = _NAME.fullmatch(part)
        if match is None or starts_with_stem(f"{match['submission']}_{match['file']}"):
            continue  # the second is a learner called `ada_2026`, with a file `03_member_tensors`
        file = (match["file"], *parts[i + 1 :])
        return Origin(
            match["learner"],
            match["id"],
            file,
            late=bool(match["late"]),
            is_dated=False,
            place=part.removesuffix(match["file"]),
        )
    return None
