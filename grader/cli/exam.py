"""`grader exam`: ten modules to judge by reading them, then three to fix."""

from __future__ import annotations

from shlex import quote

import click

from grader import course, learning
from grader.cli.prompts import choose, choose_sure, prompt_text, to_terminal


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
