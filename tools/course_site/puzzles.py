"""The puzzles: each level as a choice between its right form and the wrong ones."""

from __future__ import annotations

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, note_sources, template
from course_site.questions import question_data
from grader.course import Puzzle, all_puzzles


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
    inside = template("puzzle.html", question=question, title=puzzle.heading)
    return mount("question", question_data(question, puzzle.heading), inside)
