"""What helps with an exercise: its hints, one good answer and why it is right, its starter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.course import exercise_file, find, solution_file, starter
from grader.learning.journal import Journal, is_kept, peek
from grader.schema import Report, Rubric

# From which try on the solution opens without a second question.
TRIES = 2


def for_learner(rubric: Rubric, report: Report) -> Report:
    """The report as its learner sees it: with the fixes in their turn.

    Call it before the check is noted. The fixes follow the last hint or the solution, and come at
    once where no journal counts the hints, as in CI.
    """
    journal, number = peek(), rubric.number
    is_through = has_seen_hints(rubric, journal) or journal.saw_solution(number)
    return replace(report, shows_fixes=is_through or not is_kept())


def has_seen_hints(rubric: Rubric, journal: Journal) -> bool:
    return journal.hints_taken(rubric.number) >= len(rubric.hints)


def within_hint(rubric: Rubric, number: int) -> int:
    """The number of the hint that is nearest to `number`."""
    return min(max(number, 1), len(rubric.hints))


def hint_text(rubric: Rubric, number: int) -> str:
    """`Hint 2 of 4: ...`."""
    return f"Hint {number} of {len(rubric.hints)}: {rubric.hints[number - 1]}"


def next_hint(rubric: Rubric, journal: Journal) -> int:
    """The number of the first hint not yet seen; the last, if all were."""
    return within_hint(rubric, journal.hints_taken(rubric.number) + 1)


def solution_code(rubric: Rubric) -> str:
    return solution_file(rubric.stem).read_text(encoding="utf-8")


def solution_text(rubric: Rubric) -> str:
    """One good answer, why it is right, and what else would be; Python that could be run."""
    lines = [f"# Why: {rubric.reason}"]
    lines += [f"# Also right: {answer}" for answer in rubric.also_right]
    return "\n".join([solution_code(rubric), *lines])


def step_after(rubric: Rubric, journal: Journal) -> str:
    """What a terminal says after a check that did not pass, beyond what the report says."""
    tries = journal.tries(rubric.number)
    if tries < TRIES:
        return ""
    number, of = next_hint(rubric, journal), len(rubric.hints)
    step = f"Hint {number} of {of}: grader hint {rubric.number}"
    if has_seen_hints(rubric, journal):
        solution = f"grader solution {rubric.number}"
        step = f"You have seen every hint. One good answer, and why it is right: {solution}"
    return f"That was try {tries}. {step}"


def reset(exercise: str | int) -> Path | None:
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
