"""Commands for learners: what there is, and help with it."""

from __future__ import annotations

import click

from grader import learning, render
from grader.cli.reports import print_notice
from grader.course import all_rubrics, find, require_course
from grader.loading import LoadingError


@click.command(name="list")
def list_exercises() -> None:
    """List the exercises."""
    for rubric in all_rubrics():
        mark = ", optional" if rubric.optional else ""
        click.echo(f"{rubric.number:3} {rubric.title}  (exercises/{rubric.stem}.py{mark})")
    try:
        require_course()
    except LoadingError as error:
        click.echo(str(error), err=True)


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Print what a finding's CODE means, or list all codes."""
    if code is None:
        for known, summary in render.summaries().items():
            click.echo(f"{known:27}{summary}")
    else:
        _print_page(render.finding_page(code))


@click.command()
@click.argument("exercise", metavar="NN")
@click.argument("number", metavar="[HINT]", type=int, required=False)
def hint(exercise: str, number: int | None) -> None:
    """Print the next hint for exercise NN, or the one whose number you give.

    For example `grader hint 03`, or `grader hint 03 2` for the second.
    """
    rubric = find(exercise)
    chosen = (
        learning.next_hint(rubric, learning.read_journal()[0])
        if number is None
        else learning.within_hint(rubric, number)
    )
    click.echo(learning.hint_text(rubric, chosen))
    print_notice(learning.note_help(rubric.number, chosen))


@click.command()
@click.argument("exercise", metavar="NN")
def solution(exercise: str) -> None:
    """Print one good answer, why it is right, and what else would be."""
    rubric = find(exercise)
    click.echo(learning.solution_text(rubric))
    print_notice(learning.note_help(rubric.number))


@click.command()
@click.argument("exercise", metavar="NN")
def reset(exercise: str) -> None:
    """Bring the starter back; your answer is kept beside it."""
    kept = learning.reset(exercise)
    click.echo(
        f"The starter is back. Your answer is in {kept}."
        if kept
        else "Nothing to reset: this is the starter."
    )


def _print_page(markdown: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(markdown, hyperlinks=console.is_terminal))
