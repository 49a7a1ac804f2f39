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
    """Whose a file is, if its path begins as Canvas's do."""
    match = _NAME.fullmatch(parts[0])
    if match is None or starts_with_stem(f"{match['submission']}_{match['file']}"):
        return None  # the second is a learner called `ada_2026`, with a file `03_member_tensors`
    return Origin(
        match["learner"],
        match["id"],
        (match["file"], *parts[1:]),
        late=bool(match["late"]),
        is_dated=False,
        place=parts[0].removesuffix(match["file"]),
    )
