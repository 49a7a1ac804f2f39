"""`grader assignment`: exercises for marks, whose solutions nobody can look up."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

from grader import classroom
from grader.cli import options
from grader.cli.terminal import about


@click.group()
def assignment() -> None:
    """For teachers: variants of exercises for marks. Their solutions stay with you."""


@assignment.command()
@click.argument("exercises", metavar="NN... | ASSIGNMENT", nargs=-1, required=True)
@options.out("Where hand_out/ and teacher/ go.")
@click.option(
    "--seed", type=int, help="Draws the same again; keep it secret.  [default: a new one]"
)
@options.roster
@options.term
def new(
    exercises: tuple[str, ...], out: Path, seed: int | None, roster: Path | None, term: Path | None
) -> None:
    """Draw variants of exercises 03, 04, 05, 06, 07, 08, 10 and 12, and try each one first.

    For an ASSIGNMENT of term.toml, of all its exercises. Each solution must pass and each starter
    fail. Exits 1 if one behaves otherwise: draw with another seed.
    """
    from rich.console import Console

    people = classroom.read_roster(roster) if roster else ()
    if (out / classroom.LEDGER_NAME).exists():
        raise classroom.AssignmentError(f"{out} holds the results of a batch. Name another folder.")
    with about(out):
        names = [(person.name, person.learner_id) for person in people]
        numbers = options.asked_for(exercises, term).numbers
        # One of too many to try them all: who has it can draw the solution.
        drawn = classroom.new_assignment(
            numbers, secrets.randbits(63) if seed is None else seed, out, names
        )
        packed = classroom.pack_hand_outs(out, drawn, people) if people else ()
    problems = 0
    each = [(stem, name) for name in drawn.variants for stem in drawn.stems]
    with classroom.show_progress(len(each), Console(stderr=True)) as tell:
        rubrics = [classroom.private_rubric(out, drawn, stem, name) for stem, name in each]
        for (stem, name), problem in zip(
            each, classroom.problems_of_variants(rubrics), strict=True
        ):
            if problem:
                problems += 1
                click.echo(f"✗ {name}, {stem}: {problem}")
            tell()
    handed_out, plural = out / classroom.HAND_OUT, "s" * (len(each) > 1)
    click.echo(f"{len(each)} variant{plural} drawn by seed {drawn.seed}: {handed_out}")
    if packed:
        click.echo(f"A zip for each learner; to send them: {' or '.join(map(str, packed))}")
    click.echo(f"Keep {out / classroom.TEACHER} to yourself, and grade with: --assignment {out}")
    if problems:
        click.echo(f"{problems} of them behave otherwise: draw with another --seed.")
    sys.exit(bool(problems))
