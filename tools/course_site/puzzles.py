"""The puzzles: each level as a choice between its right form and the wrong ones, one at a time."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, note_sources, template
from course_site.questions import question_data
from grader.course import Item, all_puzzles, find_puzzle
from grader.learning.quiz.words import board_of_choice


class Puzzles(SphinxDirective):
    """`{puzzles}`: all levels, from trivial to hard; `{puzzles} 7` is the seventh alone."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        asked = [find_puzzle(self.arguments[0])] if self.arguments else all_puzzles()
        levels = [_level(puzzle) for puzzle in asked]
        html = mount("puzzles", levels, template("puzzles.html"))
        return [nodes.raw("", html, format="html")]


def _level(puzzle: Item) -> object:
    boards = {letter: board_of_choice(puzzle, letter) for letter in ("", *puzzle.letters)}
    return question_data(puzzle, boards)
