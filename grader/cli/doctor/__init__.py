"""`grader doctor`: what is installed, which device, what is missing, and what fixes it."""

from __future__ import annotations

import sys

import click


@click.command()
def doctor() -> None:
    """Say what is installed, which device there is, and how to fix what is missing.

    Exits 1 if something is missing that the course needs.
    """
    from grader.cli.doctor.checks import diagnose, to_text
    from grader.cli.doctor.facts import examine

    lines = diagnose(examine())
    click.echo(to_text(lines))
    sys.exit(any(line.mood == "bad" for line in lines))
