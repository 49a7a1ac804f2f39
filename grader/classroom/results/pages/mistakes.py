"""Which mistakes a class made: each finding's code, who met it, and where."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from grader.classroom.results.gradebook import Gradebook


@dataclass(frozen=True)
class Mistake:
    """One finding's code.

    Attributes:
        learners: who made it, each once.
        exercises: the numbers of those it was made in, in the order of the course.
    """

    code: str
    learners: tuple[str, ...]
    exercises: tuple[str, ...]


def mistakes(book: Gradebook) -> tuple[Mistake, ...]:
    """What the learners were told as an error, the most frequent first.

    An untouched starter is nobody's mistake, so what it was told does not count.
    """
    learners: dict[str, set[str]] = defaultdict(set)
    exercises: dict[str, set[str]] = defaultdict(set)
    for (learner, exercise), entry in book.counted.items():
        if entry.report.verdict == "not_attempted":
            continue
        for finding in entry.report.findings:
            if finding.severity == "error":
                learners[finding.code].add(learner)
                exercises[finding.code].add(exercise)
    found = [
        Mistake(code, tuple(sorted(learners[code])), tuple(sorted(exercises[code])))
        for code in learners
    ]
    return tuple(sorted(found, key=lambda mistake: (-len(mistake.learners), mistake.code)))
