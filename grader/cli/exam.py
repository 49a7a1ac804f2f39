"""`grader exam`: find the bug in ten modules, fix three of them, keep the result."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, get_args

import click

from grader.cli.prompts import choose, prompt_text, to_terminal
from grader.learning import Sure

if TYPE_CHECKING:
    from grader.course import Module
    from grader.learning import Sitting


@click.command()
@click.option("--seed", default="", help="Take the exam of this seed: the same ten for everyone.")
@click.option("--new", is_flag=True, help="Begin another exam, with a seed of its own.")
def exam(seed: str, new: bool) -> None:
    """Find the bug: judge ten modules by reading them, then fix three.

    Without --seed it goes on with the last exam that you began. Once all ten are answered, it
    writes three modules to fix into a folder here; fix them and call it again for the result.
    """
    from grader.learning import new_seed, sit

    sitting = sit(seed or (new_seed() if new else ""))
    try:
        is_complete = _ask_all(sitting)
    except click.Abort:
        click.echo(f"\nStopped. Go on with: grader exam --seed {quote(sitting.seed)}")
        return
    if is_complete:
        _hand_in(sitting)


def _ask_all(sitting: Sitting) -> bool:
    """Ask what is not answered. Return whether nothing was left to ask."""
    from grader.course import TEN, THREE
    from grader.learning import exam_folder, hand_out

    waiting = sitting.waiting
    if not waiting:
        return True
    click.echo(f"Exam {sitting.seed}. q stops; what you answered is kept.\n")
    for count, module in enumerate(waiting, TEN - len(waiting) + 1):
        click.echo(f"Module {count} of {TEN}\n")
        _ask(sitting, module)
    paths = hand_out(sitting.seed, exam_folder(sitting, Path()))
    click.echo(f"All {TEN} are answered. Now fix these {THREE}; each of them has a bug:")
    click.echo("".join(f"  {path}\n" for path in paths))
    click.echo(f"Then get your result: grader exam --seed {quote(sitting.seed)}")
    return False


def _ask(sitting: Sitting, module: Module) -> None:
    """Ask about one module.

    Raises:
        Abort: `q`, or nothing more to read.
    """
    question = module.question()
    click.echo(prompt_text(question) + "\n")
    letter = choose("Your answer", question.letters)
    sure: Any = choose("How sure", get_args(Sure))
    sitting.answer(module, module.outcomes[question.letters.index(letter)], sure)
    click.echo()


def _hand_in(sitting: Sitting) -> None:
    from grader.learning import hand_in

    click.echo(to_terminal(hand_in(sitting, Path(), _say).text()))


def _say(line: str) -> None:
    """To the terminal and not into the result, which may go into a file."""
    click.echo(line, err=True)
