"""Commands for authors of exercises and findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from grader import course


@click.command()
@click.argument("stem", metavar="NN_NAME")
def new(stem: str) -> None:
    """For authors: begin an exercise, such as 16_gamma_correction."""
    _print_paths(course.new_exercise, stem)
    number = stem.partition("_")[0]
    click.echo(
        f"\nIt works as it is: python tools/verify {number}. Now make it yours; docs/authoring.md"
    )
    click.echo("says what each file is for. After a change of the starter: make starters.")


@click.command("new-finding")
@click.argument("code", metavar="CODE")
def new_finding(code: str) -> None:
    """For authors: begin a kind of finding, such as gradient-detached."""
    _print_paths(course.new_finding, code)
    click.echo("\nThe tests pass as it is. Now make the first four yours, and move its line in")
    click.echo("codes.py to where it belongs; docs/authoring.md says how. Then: make outputs")


def _print_paths(write: Callable[[str], list[Path]], name: str) -> None:
    from grader.loading import shortest

    try:
        for path in write(name):
            click.echo(shortest(path))
    except course.BadNameError as error:
        raise click.UsageError(str(error)) from None
