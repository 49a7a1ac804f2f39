"""The puzzles: each level as a choice between its right form and the wrong ones."""

from __future__ import annotations

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, note_sources, template
from course_site.questions import question_data
from grader.course import Puzzle, all_puzzles
from grader.learning.puzzles.map import map_of_choice


class Puzzles(SphinxDirective):
    """`{puzzles} 1 20`: these levels. All would be too much to load for one page."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        first, last = map(int, self.arguments)
        levels = all_puzzles()[first - 1 : last]
        return [nodes.raw("", _level(puzzle), format="html") for puzzle in levels]


def _level(puzzle: Puzzle) -> Markup:
    question = puzzle.question()
    maps = {letter: map_of_choice(puzzle, letter) for letter in ("", *question.letters)}
    drawn = "\n".join(line for line, _ in maps[""])
    inside = template("puzzle.html", question=question, title=puzzle.heading, map=drawn)
    return mount("question", question_data(question, puzzle.heading, maps), inside)
