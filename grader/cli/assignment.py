"""`grader assignment`: exercises for marks, whose solutions nobody can look up."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

MOST_SKIPPED = 25  # of a variant's mutants, one in so many is tried if there are many variants


@click.group()
def assignment() -> None:
    """For teachers: variants of exercises for marks. Their solutions stay with you."""


@assignment.command()
@click.argument("exercise", metavar="NN")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where hand_out/ and teacher/ go.",
)
@click.option(
    "--seed", type=int, help="Draws the same again; keep it secret.  [default: a new one]"
)
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv",
    help="Draw a variant for each learner; without it, one for all.",
)
def new(exercise: str, out: Path, seed: int | None, roster: Path | None) -> None:
    """Draw variants of exercise NN, and try each before you hand it out.

    A solution must pass, also in other forms; a starter and changed solutions must fail. Exits 1 if
    one does not: then draw with another seed.
    """
    from rich.console import Console

    from grader.classroom import new_assignment, private_rubric, read_roster, show_progress
    from grader.course import find
    from grader.grading import verify_variant

    people = [(person.name, person.learner_id) for person in read_roster(roster)] if roster else []
    drawn = new_assignment(find(exercise).number, _seed(seed), out, people)
    problems = 0
    every = min(len(drawn.variants), MOST_SKIPPED)
    with show_progress(len(drawn.variants), Console(stderr=True)) as tell:
        for name in drawn.variants:
            for problem in verify_variant(private_rubric(out, drawn, name), every=every):
                problems += 1
                click.echo(f"✗ {name}: {problem}")
            tell()
    click.echo(f"{_count(drawn.variants)} drawn by seed {drawn.seed}: {out / 'hand_out'}")
    click.echo(f"Keep {out / 'teacher'} to yourself, and grade with: --assignment {out}")
    if problems:
        click.echo(f"{problems} of what was tried behave otherwise: draw with another --seed.")
    sys.exit(bool(problems))


def _seed(given: int | None) -> int:
    """Given, or one of too many to try them all: who has it can draw the solution."""
    return secrets.randbits(63) if given is None else given


def _count(variants: tuple[str, ...]) -> str:
    return f"{len(variants)} variant{'s' * (len(variants) > 1)}"
