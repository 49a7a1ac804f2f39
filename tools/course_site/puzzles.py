"""The puzzles: each level as a choice between its right form and the wrong ones."""

from __future__ import annotations

from docutils import nodes
from markupsafe import Markup
from sphinx.util.docutils import SphinxDirective

from course_site.mounting import mount, note_sources, template
from course_site.questions import question_data
from grader.course import Puzzle, all_puzzles


class Puzzles(SphinxDirective):
    """`{puzzles}`: all levels, from trivial to hard."""

    def run(self) -> list[nodes.Node]:
        note_sources(self.env)
        return [nodes.raw("", _level(puzzle), format="html") for puzzle in all_puzzles()]


def _level(puzzle: Puzzle) -> Markup:
    question = puzzle.question()
    inside = template("puzzle.html", question=question, title=puzzle.heading)
    return mount("question", question_data(question, puzzle.heading), inside)
