"""Levels of one minute: a class of a few lines with one fault, a rule, and forms of its fix."""

from __future__ import annotations

from grader.course.puzzles.edits import BadEditError, edited
from grader.course.puzzles.level import IMPORTS, Puzzle, WrongForm, all_puzzles, find_puzzle

__all__ = [
    "IMPORTS",
    "BadEditError",
    "Puzzle",
    "WrongForm",
    "all_puzzles",
    "edited",
    "find_puzzle",
]
