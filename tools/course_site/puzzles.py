"""The puzzles: each level as a choice between its right form and the wrong ones, one at a time."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, note_sources, template
from course_site.questions import question_data
from grader.course import Puzzle, all_puzzles, find_puzzle
from grader.learning.puzzles.map import map_of_choice


class Puzzles(SphinxDirective):
    """`{puzzles}`: all levels, from trivial to hard; `{puzzles} 7` is the seventh alone."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        levels = [find_puzzle(self.arguments[0])] if self.arguments else all_puzzles()
        inside = template("puzzles.html", levels=levels)
        html = mount("puzzles", [_level(puzzle) for puzzle in levels], inside)
        return [nodes.raw("", html, format="html")]


def _level(puzzle: Puzzle) -> object:
    question = puzzle.question()
    maps = {letter: map_of_choice(puzzle, letter) for letter in ("", *question.letters)}
    return question_data(question, puzzle.heading, maps)
