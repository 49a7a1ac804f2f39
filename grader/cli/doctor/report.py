"""The lines as text."""

from __future__ import annotations

from collections.abc import Sequence

from grader.cli.doctor.checks import HealthCheck
from grader.render import SIGNS


def to_text(lines: Sequence[HealthCheck]) -> str:
    """A line for each, what to do below it, and the sum of it."""
    parts = []
    for line in lines:
        parts.append(f"{SIGNS[line.mood]} {line.what:10} {line.message}")
        if line.remedy:
            parts.append(f"{'':13}→ {line.remedy}")
    return "\n".join([*parts, "", _sum(lines)])


def needed(lines: Sequence[HealthCheck]) -> int:
    """How many things the course needs and has not."""
    return sum(line.mood == "bad" for line in lines)


def _sum(lines: Sequence[HealthCheck]) -> str:
    if count := needed(lines):
        return f"{count} thing{'s' if count > 1 else ''} to fix, then run `grader doctor` again."
    return "All is well."
