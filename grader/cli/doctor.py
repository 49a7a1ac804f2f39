"""The command that says what is installed, and what is missing."""

from __future__ import annotations

import sys

import click

from grader.render.parts import SIGNS
from grader.render.text import COLOURS


@click.command()
def doctor() -> None:
    """Say what is installed, which device there is, and how to mend what is missing.

    Exits 1 if something is missing that the course needs.
    """
    from grader.doctor.diagnosis import diagnose
    from grader.doctor.facts import examine

    lines = diagnose(examine())
    for line in lines:
        sign = click.style(SIGNS[line.mood], fg=COLOURS[line.mood])
        click.echo(f"{sign} {line.what:10} {line.told}")
        if line.remedy:
            click.echo(f"{'':13}→ {line.remedy}")
    needed = sum(line.mood == "bad" for line in lines)
    things = f"{needed} thing{'s' if needed > 1 else ''} to mend"
    click.echo(f"\n{things}, then run `grader doctor` again." if needed else "\nAll is well.")
    sys.exit(bool(needed))
