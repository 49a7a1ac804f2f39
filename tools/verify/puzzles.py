"""Holds the levels of `grader puzzles` to what their files declare."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course import Item, all_puzzles
from grader.learning.quiz.judging import JudgingError, Verdict, judge

FEWEST_WRONG = 3
FEWEST_LINES, MOST_LINES = 5, 10  # of a level's code, blank ones not counted


def verify_puzzles() -> Iterator[tuple[str, bool]]:
    """One line for each thing verified about the levels, and whether it is as declared."""
    for puzzle in all_puzzles():
        problems = list(_problems(puzzle))
        forms = f"{len(puzzle.fixes)} right and {len(puzzle.wrong)} wrong forms"
        yield from ((f"✗ {puzzle.key}: {problem}", False) for problem in problems)
        if not problems:
            yield f"✓ {puzzle.key}: the first code, {forms}", True


def _problems(puzzle: Item) -> Iterator[str]:
    lines = len(list(filter(str.strip, puzzle.code.splitlines())))
    if not FEWEST_LINES <= lines <= MOST_LINES:
        yield f"{lines} lines of code"
    if len(puzzle.wrong) < FEWEST_WRONG:
        yield f"{len(puzzle.wrong)} wrong forms, and there should be {FEWEST_WRONG}"
    tried = [("the first code", "", puzzle.finding)]
    tried += [("right form", form, "") for form in puzzle.fixes]
    tried += [("wrong form", form.edits, form.fails) for form in puzzle.wrong]
    for what, form, expected in tried:
        try:
            verdict = judge(puzzle, puzzle.edited(form))
        except JudgingError as error:
            verdict = Verdict("raises", str(error))
        found = f"{verdict.failed_by} ({verdict.message})" if verdict.failed_by else "right"
        if verdict.failed_by != expected:
            yield f"{what} {form!r}: {found}, and not {expected or 'right'}"
