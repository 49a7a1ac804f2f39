"""Commands for authors of exercises and findings."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.course import all_rubrics, find


@click.command()
@click.argument("stem", metavar="NN_NAME")
def new(stem: str) -> None:
    """For authors: begin an exercise, such as 16_gamma_correction."""
    from grader.course import new_exercise

    _print_paths(new_exercise, stem)
    number = stem.partition("_")[0]
    click.echo(f"\nIt works as it is: grader verify {number}. Now make it yours; docs/authoring.md")
    click.echo("says what each file is for. After a change of the starter: make starters.")


@click.command("new-finding")
@click.argument("code", metavar="CODE")
def new_finding(code: str) -> None:
    """For authors: begin a kind of finding, such as gradient-detached."""
    from grader.course import new_finding as write_finding

    _print_paths(write_finding, code)
    click.echo("\nThe tests pass as it is. Now make the first four yours, and move its line in")
    click.echo("codes.py to where it belongs; docs/authoring.md says how. Then: make outputs")


def _print_paths(write: Callable[[str], list[Path]], name: str) -> None:
    from grader.course import BadNameError
    from grader.loading import shortest

    try:
        for path in write(name):
            click.echo(shortest(path))
    except BadNameError as error:
        raise click.UsageError(str(error)) from None


@click.command()
@click.argument("exercises", metavar="[NN]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every exercise, which is the default.")
@click.option("--puzzles", is_flag=True, help="The levels of `grader puzzles` instead.")
@click.option("--mutants", is_flag=True, help="Try changed answers as well.")
@click.option(
    "--every",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="With --mutants: try only each N-th one, for a quick sample.",
)
@options.device
def verify(
    exercises: tuple[str, ...],
    everything: bool,
    puzzles: bool,
    mutants: bool,
    every: int,
    device: Any,
) -> None:
    """For authors: every starter, solution, accepted answer and mistake behaves as declared.

    With --mutants, small changes to the right answers are graded too, and each must be refused; and
    so are other forms of the solutions, which must pass in full.
    """
    from grader.grading import totals_line, verify_exercise, verify_mutants, verify_rewrites
    from grader.learning import verify_puzzles

    if everything and exercises:
        raise click.UsageError("Give exercises or --all, not both.")
    problems, outcomes = 0, Counter[Any]()
    for line, is_right in verify_puzzles() if puzzles else ():
        problems += not is_right
        click.echo(line)
    for rubric in () if puzzles else map(find, exercises) if exercises else all_rubrics():
        lines = verify_exercise(rubric, device)
        if mutants:
            rewritten = verify_rewrites(rubric, device)
            lines = chain(lines, rewritten, verify_mutants(rubric, device, every, outcomes))
        for line, is_right in lines:
            problems += not is_right
            click.echo(line)
    if mutants:
        click.echo(f"In all: {totals_line(outcomes)}")
    summary = f"{problems} problem{'s' * (problems > 1)}"
    click.echo(summary if problems else "All behave as declared.")
    sys.exit(bool(problems))
