"""Commands for teachers: grade a class."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import classroom, probe
from grader.cli import options
from grader.cli.reports import plain_console
from grader.cli.terminal import about

if TYPE_CHECKING:
    from collections.abc import Callable


INTERRUPTED = 130  # as shells say it
jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    metavar="N",
    help="How many to grade at a time.  [default: one for each core]",
)
out = options.out("The folder for the results.")
isolation = click.option(
    "--isolation",
    type=click.Choice(["process", "filesystem", "full"]),
    help="Refuse to run below this level.  [default: process; with --assignment, filesystem]",
)
assignment = click.option(
    "--assignment",
    type=options.FOLDER,
    metavar="FOLDER",
    help="Grade variants whose solutions are not public: what grader assignment new made.",
)


def _part(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[int, int]:
    index, _, count = value.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise click.BadParameter(f"{value} is no part of a whole: write 1/4 for the first of four.")
    return int(index), int(count)


def _time(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(value).astimezone() if value else None
    except ValueError:
        message = f"{value} is no time: write 2026-03-01T23:59, or with +01:00 for a zone."
        raise click.BadParameter(message) from None


@click.command()
@click.argument("submissions", type=click.Path(exists=True, path_type=Path), metavar="SUBMISSIONS")
@out
@jobs
@options.device
@isolation
@click.option(
    "--due", metavar="TIME", callback=_time, help="What is handed in later is marked as late."
)
@click.option(
    "--shard",
    metavar="I/N",
    callback=_part,
    default="1/1",
    help="Grade only this part of the learners.",
)
@click.option(
    "--assignment",
    "name",
    metavar="NAME|FOLDER",
    help="Grade an assignment of term.toml, or the variants that grader assignment new made.",
)
@options.term
@click.pass_context
def batch(
    ctx: click.Context,
    submissions: Path,
    out: Path,
    jobs: int,
    device: Any,
    isolation: str | None,
    due: datetime | None,
    shard: tuple[int, int],
    name: str | None,
    term: Path | None,
) -> None:
    """Grade a folder or zip of SUBMISSIONS. Interrupted: run it again.

    Exits 0 if all could be graded, 2 if some could not: they are named.
    """
    console = plain_console()
    if out.resolve().is_relative_to(submissions.resolve()):
        raise click.UsageError("The results cannot go into the submissions: name another --out.")
    if term and not name:
        raise click.UsageError("Say which assignment of it is graded: --assignment NAME.")
    wanted = options.asked_for([name], term) if name else options.Wanted()
    level = _level(isolation, wanted.folder)
    with _resumable(), about(out), ExitStack() as stack:

        def begin(begun: classroom.BatchStart) -> Callable[[], None]:
            _tell_begun(begun, console)
            return stack.enter_context(classroom.show_progress(begun.submissions, console))

        due = due or wanted.due
        settings = classroom.BatchOptions(
            jobs, device, level, due, shard, wanted.folder, wanted.numbers
        )
        intake = classroom.run_batch(submissions, out, settings, begin)
    book = classroom.gradebook(classroom.read_ledger(out))
    classroom.print_summary(book, intake.left_out, console)
    lost = any(entry.report.verdict == "cannot_grade" for entry in book.counted.values())
    sys.exit(2 if lost or any(file.is_answer for file in intake.left_out) else 0)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, path_type=Path))
@jobs
@isolation
@assignment
def regrade(folder: Path, jobs: int, isolation: str | None, assignment: Path | None) -> None:
    """Grade again what a changed rubric may change, and print what it did."""
    console = plain_console()
    with _resumable(), about(folder), ExitStack() as stack:

        def begin(count: int) -> Callable[[], None]:
            return stack.enter_context(classroom.show_progress(count, console))

        level = _level(isolation, assignment)
        count, changes = classroom.regrade(folder, jobs, level, begin, assignment)
    classroom.print_changes(count, changes, console)


@click.command()
@click.argument("folders", metavar="DIR...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@out
def merge(folders: tuple[Path, ...], out: Path) -> None:
    """Put the results of several folders, such as the shards of a batch, into one."""
    if not folders:
        raise click.UsageError("Name the folders to merge.")
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise click.UsageError("--out is one of the folders to merge: name another.")
    with about(out):
        added = classroom.merge(folders, out)
    click.echo(f"{added} results added to {out}.")


@click.command()
@click.argument("learner", metavar="[LEARNER NN]", default="")
@click.argument("exercise", metavar="", default="")
@click.option(
    "--in",
    "folder",
    type=options.FOLDER,
    default=".",
    metavar="DIR",
    help="Where the results are, the batch's --out.  [default: this folder]",
)
@click.option("--score", type=float, metavar="POINTS", help="The points to give, or half ones.")
@click.option("--because", default="", metavar="REASON", help="Why; the learner reads it.")
@click.option("--comment", default="", metavar="TEXT", help="Say something; the mark stays.")
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="What the comment is about.")
@click.option("--withdraw", is_flag=True, help="Take back what a person said: mark and comments.")
@click.option(
    "--from",
    "table",
    type=options.FILE,
    metavar="CSV",
    help="Rows with learner, exercise, score, because, comment, line.",
)
@options.roster
def mark(folder: Path, table: Path | None, roster: Path | None, **one: Any) -> None:
    """Give LEARNER (a name, ID or e-mail) a mark for exercise NN, in place of the grader's.

    Or comment on the answer, as a whole or at a line. Either stays through regrades and further
    batches, until another submission counts; then a person is asked to look. Exports and pages
    show the mark with its reason, and the comments. `--from marks.csv` does it for each row. With
    a roster, also for who handed in nothing.
    """
    given: dict[str, Any] = {
        key: value.strip() if isinstance(value, str) else value
        for key, value in one.items()
        if value is not None and value is not False and value != ""
    }
    if bool(table) == bool(given) or not (table or {"learner", "exercise"} <= given.keys()):
        raise click.UsageError("Name a learner and an exercise, or else a table: --from marks.csv.")
    with about(folder):
        people = classroom.read_roster(roster) if roster else ()
        for said in classroom.marks_in(table) if table else [classroom.Said(**given)]:
            result = classroom.say(folder, said, people)
            count = len(result.comments) if said.comment else 0
            comments = f" {count} comment{'s' * (count > 1)}." if count else ""
            click.echo(f"{result.learner}, {result.rubric.number}: {result}.{comments}")


def _level(isolation: str | None, assignment: Path | None) -> probe.Level:
    """The least isolation; below `filesystem`, code can read an assignment's solutions."""
    return probe.Level[(isolation or ("filesystem" if assignment else "process")).upper()]


@contextmanager
def _resumable() -> Iterator[None]:
    """Say that what is interrupted goes on when it is run again."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("\nInterrupted. What was reached is kept: run it again to go on.", err=True)
        sys.exit(INTERRUPTED)


def _tell_begun(begun: classroom.BatchStart, console: Any) -> None:
    if begun.cut_off:
        console.print(
            f"The ledger ended in the middle of a line, {begun.cut_off} bytes long: cut off. What "
            "it was about is graded again."
        )
    level = f", isolated at level {begun.isolation}" if begun.isolation else ""
    submissions = f"{begun.submissions} submission{'s' * (begun.submissions != 1)}"
    learners = f"{begun.learners} learner{'s' * (begun.learners != 1)}"
    console.print(f"{submissions} of {learners}, judged on {begun.device}{level}.")
    if begun.isolation and begun.isolation != "full":
        console.print("docs/isolation.md says what level full needs, and what it keeps away.")
