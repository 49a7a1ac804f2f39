"""Commands for authors of exercises."""

from __future__ import annotations

import sys
from typing import Any

import click

from grader.catalog import find, rubrics
from grader.cli import options


@click.command()
@click.argument("stem", metavar="NN_NAME")
def new(stem: str) -> None:
    """For authors: begin an exercise, such as 13_gamma_correction."""
    from grader.authoring import NotAStemError, new_exercise
    from grader.loading import shortest

    try:
        written = new_exercise(stem)
    except NotAStemError as error:
        raise click.UsageError(str(error)) from None
    number = stem.partition("_")[0]
    for path in written:
        click.echo(shortest(path))
    click.echo(f"\nIt works as it is: grader verify {number}. Now make it yours; CONTRIBUTING.md")
    click.echo("says what each file is for. After a change of the starter: make starters.")


@click.command()
@click.argument("exercises", metavar="[NN]...", nargs=-1)
@options.device
def verify(exercises: tuple[str, ...], device: Any) -> None:
    """For authors: every starter, solution, accepted answer and mistake behaves as declared."""
    from grader.verification import verify_exercise

    problems = 0
    for rubric in map(find, exercises) if exercises else rubrics():
        for line, is_right in verify_exercise(rubric, device):
            problems += not is_right
            click.echo(line)
    told = f"{problems} problem{'s' * (problems > 1)}"
    click.echo(told if problems else "All behave as declared.")
    sys.exit(bool(problems))
