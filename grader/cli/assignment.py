"""`grader assignment`: exercises for marks, whose solutions nobody can look up."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

from grader.cli import options
from grader.cli.system_errors import about


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
@options.roster
def new(exercise: str, out: Path, seed: int | None, roster: Path | None) -> None:
    """Draw variants of exercise 03, 04, 05, 06, 07, 08, 10 or 12, and try each one first.

    Its solution must pass and its starter must fail. Exits 1 if one behaves otherwise: draw with
    another seed.
    """
    from rich.console import Console

    from grader.classroom import (
        LEDGER_NAME,
        AssignmentError,
        new_assignment,
        pack_hand_outs,
        private_rubric,
        problems_of_variants,
        read_roster,
        show_progress,
    )
    from grader.course import find

    people = read_roster(roster) if roster else ()
    if (out / LEDGER_NAME).exists():
        raise AssignmentError(f"{out} holds the results of a batch. Name another folder.")
    with about(out):
        names = [(person.name, person.learner_id) for person in people]
        drawn = new_assignment(find(exercise).number, _seed(seed), out, names)
        packed = pack_hand_outs(out, drawn, people) if people else ()
    problems = 0
    with show_progress(len(drawn.variants), Console(stderr=True)) as tell:
        rubrics = [private_rubric(out, drawn, name) for name in drawn.variants]
        for name, problem in zip(drawn.variants, problems_of_variants(rubrics), strict=True):
            if problem:
                problems += 1
                click.echo(f"✗ {name}: {problem}")
            tell()
    click.echo(f"{_count(drawn.variants)} drawn by seed {drawn.seed}: {out / 'hand_out'}")
    if packed:
        click.echo(f"A zip for each learner; to send them: {' or '.join(map(str, packed))}")
    click.echo(f"Keep {out / 'teacher'} to yourself, and grade with: --assignment {out}")
    if problems:
        click.echo(f"{problems} of them behave otherwise: draw with another --seed.")
    sys.exit(bool(problems))


def _seed(given: int | None) -> int:
    """Given, or one of too many to try them all: who has it can draw the solution."""
    return secrets.randbits(63) if given is None else given


def _count(variants: tuple[str, ...]) -> str:
    return f"{len(variants)} variant{'s' * (len(variants) > 1)}"
