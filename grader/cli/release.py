"""`grader release`: exercises for the systems where a class works."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def release() -> None:
    """Hand exercises over to Gradescope, GitHub Classroom or nbgrader."""


@release.command()
@click.argument("exercise", metavar="NN")
@click.option(
    "--out", type=click.Path(dir_okay=False), required=True, help="Such as autograder.zip."
)
def gradescope(exercise: str, out: str) -> None:
    """Write the autograder of one exercise as Gradescope takes it."""
    from grader.catalog import find
    from grader.releases.gradescope import release_gradescope

    rubric = find(exercise)
    release_gradescope(rubric, Path(out))
    click.echo(out)
    click.echo(f"Give the assignment {sum(rubric.points.values())} points.", err=True)
