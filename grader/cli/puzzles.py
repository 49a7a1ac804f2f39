"""`grader puzzles`: levels of one minute, answered by typing a line."""

from __future__ import annotations

from time import monotonic

import click

from grader import course, learning
from grader.cli.prompts import to_terminal
from grader.cli.reports import plain_console, print_notice


@click.command()
@click.argument("number", metavar="[NN]", default="")
def puzzles(number: str) -> None:
    """Fix classes of a few lines by typing a line: one minute each, one rule each.

    It goes on at the first level that you have not solved; `grader puzzles 7` begins at level 7.
    """
    levels = course.all_puzzles()
    first = course.find_puzzle(number) if number else learning.first_unsolved()
    try:
        for puzzle in levels[levels.index(first) :]:
            PuzzlePrompt(puzzle).play()
    except click.Abort:
        click.echo()
    click.echo(learning.solved_summary())


class PuzzlePrompt:
    """One level, until it is solved or left."""

    def __init__(self, puzzle: course.Item) -> None:
        self._puzzle = puzzle
        self._sources = [puzzle.code]  # the first code, and it after each edit
        self._begun = monotonic()
        self._is_helped = False

    def play(self) -> None:
        """Ask for edits until the class is right, or the learner goes on.

        Raises:
            Abort: `q`, or nothing more to read.
        """
        plain_console().print(learning.puzzle_heading(self._puzzle))
        self._judge()
        asked = f"\n{learning.PUZZLE_KEYS}\n{self._puzzle.title.split()[1]}"
        while not self._answer(click.prompt(asked, prompt_suffix="> ")):
            pass

    def _answer(self, typed: str) -> bool:
        """Do what was typed, and return whether this level is over."""
        key = typed.strip().lower()
        if key in ("q", "quit"):
            raise click.Abort
        if key == "n":
            return True
        if key == "h":
            click.echo(to_terminal(self._puzzle.hint))
        elif key == "s":
            self._is_helped = True
            click.echo(learning.puzzle_solution(self._puzzle))
        elif key == "u":
            self._sources = self._sources[:1] + self._sources[1:-1]
            self._judge()
        else:
            return self._edit(typed)
        return False

    def _edit(self, typed: str) -> bool:
        try:
            self._sources.append(course.edited(self._sources[-1], typed))
        except course.BadEditError as error:
            click.echo(str(error))
            return False
        return self._judge()

    def _judge(self) -> bool:
        """Show the code, the map and, after an edit, the verdict; return whether it is right."""
        verdict = learning.judge(self._puzzle, self._sources[-1])
        seconds = round(monotonic() - self._begun)
        plain_console().print(learning.puzzle_board(self._puzzle, self._sources[-1], verdict))
        if len(self._sources) > 1:
            plain_console().print(learning.puzzle_verdict(self._puzzle, verdict, seconds))
        if not verdict.failed_by:
            print_notice(learning.note_puzzle(self._puzzle, seconds, self._is_helped))
        return not verdict.failed_by
