"""`grader export`: a class's results for other systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from grader import classroom
from grader.cli import options
from grader.cli.terminal import about
from grader.render import visible

FORMATS = "html, csv, canvas, moodle, canvas-feedback, moodle-feedback, nbgrader-feedback"
MOST_NAMED = 20
MOST_FLAGS = 3  # of one result


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--to",
    "form",
    metavar="FORM",
    required=True,
    help=f"{FORMATS}, or what an installed package adds.",
)
@click.option(
    "--out",
    type=click.Path(),
    metavar="PATH",
    help="Where to write.  [default: a file or folder in DIR, named after the form]",
)
@options.roster
@click.option(
    "--term",
    type=options.FILE,
    metavar="FILE.toml",
    help="Due dates, what being late costs, extensions and limits on attempts.",
)
@click.option(
    "--each", is_flag=True, help="A mark for each exercise, also of an assignment in the term."
)
def export(
    folder: str, form: str, out: str | None, roster: Path | None, term: Path | None, each: bool
) -> None:
    """Write the results in DIR, where `grader batch` put them, in a form others take."""
    book = classroom.gradebook(classroom.read_ledger(Path(folder)))
    if not book.learners:
        raise click.UsageError(
            f"There is no result in {folder} (no {classroom.LEDGER_NAME}, or an empty one). "
            f"Grade first: grader batch SUBMISSIONS --out {folder}"
        )
    if roster:
        book = _with_roster(book, roster)
    if term:
        book = replace(book, term=classroom.read_term(term))
    elif any(person.extensions for person in book.enrolled.values()):
        _err(f"The extensions in {roster} need due dates: give --term FILE.toml as well.")
    book = replace(book, apart=each, folder=Path(folder))
    with about(Path(out or folder)):
        written = classroom.export(book, form, Path(folder), Path(out) if out else None)
    click.echo(written)
    _name_those_for_a_person(book)
    _name_open_totals(book)


def _with_roster(book: classroom.Gradebook, path: Path) -> classroom.Gradebook:
    """The class with all who are enrolled; on stderr, who is missing, and who is not enrolled."""
    whole, unknown = classroom.with_roster(book, classroom.read_roster(path))
    for rubric, missing in whole.missing():
        of = f"{len(missing)} of {len(whole.learners)}"
        _err(f"{rubric.number}: {of} learners handed in nothing: {_names_text(missing)}.")
    if unknown:
        _err(f"Not in {path}: {_names_text(unknown)}.")
    return whole


def _names_text(learners: Sequence[str]) -> str:
    more = f" and {len(learners) - MOST_NAMED} more" if len(learners) > MOST_NAMED else ""
    return visible(", ".join(learners[:MOST_NAMED])) + more


def _name_those_for_a_person(book: classroom.Gradebook) -> None:
    """On stderr, whatever the form: some forms have no place for it."""
    results = list(book.results())
    waiting = [result for result in results if result.is_unsettled]
    for result in waiting:
        _err(f"! {result.learner} {result.rubric.number}: {result.verdict}, {result}")
    if waiting:
        _err("These are no marks for the answer: a person should look (docs/exports.md).")
    flagged = [result for result in results if result.flags]
    for result in flagged:
        for flag in result.flags[:MOST_FLAGS]:
            _err(f"? {result.learner} {result.rubric.number}: {visible(str(flag))}")
    if flagged:
        _err("These marks stand; a person should look at the lines (docs/isolation.md#flags).")


def _name_open_totals(book: classroom.Gradebook) -> None:
    """On stderr, who has no mark for an assignment because some of its exercises have none."""
    for item in book.items:
        totals = [book.total(learner, item) for learner in book.learners]
        waiting = [f"{t.learner} ({t.so_far})" for t in totals if t.is_handed_in and t.so_far]
        if waiting and not item.is_exercise:
            _err(f"{item.title}: no mark yet, as an exercise has none: {_names_text(waiting)}.")
            _err("Mark it, or see when nothing handed in is a 0 (docs/exports.md#assignments).")


def _err(line: str) -> None:
    click.echo(line, err=True)
