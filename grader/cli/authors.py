"""Commands for authors of exercises."""

from __future__ import annotations

import sys

import click


@click.command()
def verify() -> None:
    """For authors: every starter, solution, accepted answer and mistake behaves as declared."""
    from grader.verification import verify_course

    problems = 0
    for line, is_right in verify_course():
        problems += not is_right
        click.echo(line)
    told = f"{problems} problem{'s' * (problems > 1)}"
    click.echo(told if problems else "All behave as declared.")
    sys.exit(bool(problems))
