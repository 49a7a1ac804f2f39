"""`grader puzzles`, levels of one minute, answered by typing a line; `grader exam`, ten modules."""

from __future__ import annotations

from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING

import click

from grader import course, learning
from grader.cli.prompts import choose, choose_sure, prompt_text, to_terminal
from grader.cli.reports import print_notice
from grader.course import BadEditError, all_puzzles, edited, find_puzzle

if TYPE_CHECKING:
    from rich.console import RenderableType


@click.command()
@click.argument("number", metavar="[NN]", default="")
def puzzles(number: str) -> None:
    """Fix classes of a few lines by typing a line: one minute each, one rule each.

    It goes on at the first level that you have not solved; `grader puzzles 7` begins at level 7.
    """
    levels = all_puzzles()
    first = find_puzzle(number) if number else learning.first_unsolved()
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
        _print(learning.puzzle_heading(self._puzzle))
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
            self._sources.append(edited(self._sources[-1], typed))
        except BadEditError as error:
            click.echo(str(error))
            return False
        return self._judge()

    def _judge(self) -> bool:
        """Show the code, the map and, after an edit, the verdict; return whether it is right."""
        verdict = learning.judge(self._puzzle, self._sources[-1])
        seconds = round(monotonic() - self._begun)
        _print(learning.puzzle_board(self._puzzle, self._sources[-1], verdict))
        if len(self._sources) > 1:
            _print(learning.puzzle_verdict(self._puzzle, verdict, seconds))
        if not verdict.failed_by:
            print_notice(learning.note_puzzle(self._puzzle, seconds, self._is_helped))
        return not verdict.failed_by


def _print(shown: RenderableType) -> None:
    from rich.console import Console

    Console(highlight=False).print(shown)


@click.command()
@click.option("--seed", default="", help="Take the exam of this seed: the same ten for everyone.")
@click.option("--new", is_flag=True, help="Begin another exam, with a seed of its own.")
def exam(seed: str, new: bool) -> None:
    """Find the bug: judge ten modules by reading them, then fix three.

    Without --seed it goes on with the last exam that you began. Once all ten are answered, it
    writes three modules to fix into a folder here; fix them and call it again for the result.
    """
    sitting = learning.sit(seed or (learning.new_seed() if new else ""))
    if not sitting.waiting:
        click.echo(to_terminal(learning.score(sitting, _say).text()))
        return
    try:
        _ask_all(sitting)
    except click.Abort:
        click.echo(f"\nStopped. Go on with: grader exam --seed {quote(sitting.seed)}")


def _ask_all(sitting: learning.Sitting) -> None:
    """Ask what is not answered.

    Raises:
        Abort: `q`, or nothing more to read.
    """
    click.echo(f"Exam {sitting.seed}. q stops; what you answered is kept.\n")
    waiting = sitting.waiting
    for count, module in enumerate(waiting, course.TEN - len(waiting) + 1):
        click.echo(f"Module {count} of {course.TEN}\n")
        _ask(sitting, module)
    click.echo(
        f"All {course.TEN} are answered. Now fix these {course.THREE}; each of them has a bug:"
    )
    click.echo("".join(f"  {path}\n" for path in sitting.hand_out()))
    click.echo(f"Then get your result: grader exam --seed {quote(sitting.seed)}")


def _ask(sitting: learning.Sitting, module: course.Item) -> None:
    click.echo(prompt_text(module) + "\n")
    letter = choose("Your answer", module.letters)
    if notice := sitting.answer(module, letter, choose_sure()):
        _say(notice)
    click.echo()


def _say(line: str) -> None:
    """To the terminal and not into the result, which may go into a file."""
    click.echo(line, err=True)
