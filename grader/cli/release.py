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
    from grader.classroom import release_gradescope
    from grader.course import find

    rubric = find(exercise)
    release_gradescope(rubric, Path(out))
    click.echo(out)
    click.echo(f"Give the assignment {sum(rubric.points.values())} points.", err=True)


@release.command()
@click.argument("exercises", metavar="[NN]... | ASSIGNMENT", nargs=-1)
@click.option("--out", type=click.Path(file_okay=False), required=True, help="The folder.")
def github(exercises: tuple[str, ...], out: str) -> None:
    """Write the files of a template repository, with some of the exercises or all.

    For the folder of an assignment: a repository with its variant, or one for each learner.
    """
    from grader.classroom import release_github, release_github_variants
    from grader.course import all_rubrics, find

    if len(exercises) == 1 and Path(exercises[0]).is_dir():
        for repository in release_github_variants(Path(exercises[0]), Path(out)):
            click.echo(repository)
        return
    release_github([find(exercise) for exercise in exercises] or all_rubrics(), Path(out))
    click.echo(out)


@release.command()
@click.argument("exercises", metavar="[NN]...", nargs=-1)
@click.option("--out", type=click.Path(file_okay=False), required=True, help="The course folder.")
def nbgrader(exercises: tuple[str, ...], out: str) -> None:
    """Write a course folder for nbgrader: an assignment for each notebook with an exercise."""
    from grader.classroom import release_nbgrader
    from grader.course import all_rubrics, find

    asked = [find(exercise) for exercise in exercises] or all_rubrics()
    for name in release_nbgrader(asked, Path(out)):
        click.echo(Path(out) / "source" / name)
