"""`grader release`: exercises for Gradescope, GitHub Classroom and nbgrader."""

from __future__ import annotations

from pathlib import Path

import click

from grader import classroom
from grader.cli import options

exercises = click.argument("exercises", metavar="[NN]... | ASSIGNMENT", nargs=-1)


@click.group()
def release() -> None:
    """Hand exercises over to Gradescope, GitHub Classroom or nbgrader.

    An ASSIGNMENT is one of term.toml, or the folder of variants that grader assignment new made.
    """


@release.command()
@click.argument("exercises", metavar="NN... | ASSIGNMENT", nargs=-1, required=True)
@click.option(
    "--out", type=click.Path(dir_okay=False), required=True, help="Such as autograder.zip."
)
@options.term
def gradescope(exercises: tuple[str, ...], out: str, term: Path | None) -> None:
    """Write the autograder of one or several exercises as Gradescope takes it."""
    wanted = options.asked_for(exercises, term)
    classroom.release_gradescope(wanted.item, wanted.folder, Path(out))
    click.echo(out)
    click.echo(f"Give the assignment {wanted.item.points} points.", err=True)


@release.command()
@exercises
@options.out("The folder.")
@options.term
def github(exercises: tuple[str, ...], out: Path, term: Path | None) -> None:
    """Write the files of a template repository, with some of the exercises or all.

    For variants: a repository with those of the class, or one for each learner.
    """
    wanted = options.asked_for(exercises, term)
    for repository in classroom.release_github(wanted.item.rubrics, wanted.folder, out):
        click.echo(repository)


@release.command()
@exercises
@options.out("The course folder.")
@options.term
def nbgrader(exercises: tuple[str, ...], out: Path, term: Path | None) -> None:
    """Write a course folder for nbgrader: an assignment for each notebook with an exercise.

    For an assignment of term.toml: one, with the notebooks of all its exercises.
    """
    wanted = options.asked_for(exercises, term)
    if wanted.folder:
        raise click.UsageError("nbgrader's are the course's notebooks, which have no variants.")
    item = wanted.item
    one = item.stem if item.rules.exercises else ""
    for name in classroom.release_nbgrader(item.rubrics, out, one):
        click.echo(out / "source" / name)
