"""Where an author declares answers."""

from __future__ import annotations

from pathlib import Path

from grader.course import course_root


def variants_file(stem: str) -> Path:
    """An author's accepted answers and declared mistakes."""
    return course_root() / "tests" / "variants" / f"{stem}.py"
