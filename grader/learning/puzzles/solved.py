"""Which levels are solved, as the journal keeps them."""

from __future__ import annotations

from grader.course import Puzzle, all_puzzles
from grader.learning.journal import SolvedPuzzle, keep, peek


def note_puzzle(puzzle: Puzzle, seconds: int, is_helped: bool) -> str:
    """Keep that a level was solved; return a notice or `""`. Of several times, the last counts."""
    solved = SolvedPuzzle(seconds, is_helped)
    return keep(lambda journal: journal.puzzles.update({puzzle.slug: solved}))


def first_unsolved() -> Puzzle:
    """The first level that is not solved; the first of all once they all are."""
    solved = peek().puzzles
    levels = all_puzzles()
    return next((puzzle for puzzle in levels if puzzle.slug not in solved), levels[0])


def solved_before() -> Puzzle | None:
    """One of the levels that are solved, the longest ago; None if none is."""
    solved = peek().puzzles
    again = [puzzle for puzzle in all_puzzles() if puzzle.slug in solved]
    return min(again, key=lambda puzzle: solved[puzzle.slug].at, default=None)


def solved_summary() -> str:
    """How many levels are solved, and where to go on."""
    solved, levels = peek().puzzles, all_puzzles()
    done = [solved[puzzle.slug] for puzzle in levels if puzzle.slug in solved]
    alone = sum(not level.is_helped for level in done)
    counted = f"{len(done)} of {len(levels)} levels solved, {alone} without the solution."
    return counted if len(done) == len(levels) else f"{counted} Go on with: grader puzzles"
