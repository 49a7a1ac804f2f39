"""The starter of an exercise, given back without losing the learner's answer."""

from __future__ import annotations

from pathlib import Path

from grader.course import exercise_file, find, starter


def reset(exercise: str) -> Path | None:
    """Put the starter back.

    Returns:
        Where the answer that stood there is kept; None if the file was the starter already.

    Raises:
        UnknownExerciseError: there is no such exercise.
    """
    rubric = find(exercise)
    path = exercise_file(rubric.stem)
    kept = None
    if path.exists() and path.read_bytes() != starter(rubric.stem).encode():
        kept = _free_name(path)
        path.replace(kept)
    path.write_text(starter(rubric.stem), encoding="utf-8")
    return kept


def _free_name(path: Path) -> Path:
    numbered = (path.with_suffix(f".{number}.old.py") for number in range(1, 10_000))
    return next(path for path in numbered if not path.exists())
