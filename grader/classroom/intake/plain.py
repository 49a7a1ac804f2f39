"""Without a platform: a folder or zip for each learner, or files that begin with the name."""

from __future__ import annotations

from grader.classroom.intake.exercises import exercise_in_name
from grader.classroom.intake.origin import Origin


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
