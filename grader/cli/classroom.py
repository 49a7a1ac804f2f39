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
from click.core import ParameterSource

from grader.cli import options
from grader.cli.system_errors import about

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.classroom import BatchStart, ClassPart
    from grader.probe import Level

NO_CLUSTER = 3
INTERRUPTED = 130  # as shells say it
jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    metavar="N",
    help="How many to grade at a time.  [default: one for each core]",
)
out = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="The folder for the results.",
)
isolation = click.option(
    "--isolation",
    type=click.Choice(["process", "filesystem", "full"]),
    help="Refuse to run below this level.  [default: process; with --assignment, filesystem]",
)
assignment = click.option(
    "--assignment",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Grade variants whose solutions are not public: what grader assignment new made.",
)


class _Part(click.ParamType):  # type: ignore[type-arg]
    name = "I/N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ClassPart:
        from grader.classroom import ClassPart

        index, _, count = str(value).partition("/")
        if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
            self.fail(f"{value} is no part of a whole: write 1/4 for the first of four.")
        return ClassPart(int(index), int(count))


class _Time(click.ParamType):  # type: ignore[type-arg]
    name = "TIME"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            return datetime.fromisoformat(str(value)).astimezone()
        except ValueError:
            self.fail(f"{value} is no time: write 2026-03-01T23:59, or with +01:00 for a zone.")


@click.command()
@click.argument("submissions", type=click.Path(exists=True, path_type=Path), metavar="SUBMISSIONS")
@out
@jobs
@options.device
@isolation
@click.option("--due", type=_Time(), help="What is handed in later is marked as late.")
@click.option("--shard", type=_Part(), help="Grade only this part of the learners.")
@click.option("--cluster", metavar="ADDRESS", default="", help="Grade on this Ray cluster.")
@assignment
@click.pass_context
def batch(
    ctx: click.Context,
    submissions: Path,
    out: Path,
    jobs: int,
    device: Any,
    isolation: str | None,
    due: datetime | None,
    shard: ClassPart | None,
    cluster: str,
    assignment: Path | None,
) -> None:
    """Grade a folder or zip of SUBMISSIONS. Interrupted: run it again.

    Exits 0 if all could be graded, 2 if some could not: they are named. 3: the cluster cannot.
    """
    from rich.console import Console

    from grader.classroom import (
        BatchOptions,
        ClassPart,
        Record,
        print_summary,
        run_batch,
        show_progress,
    )

    console = Console(highlight=False)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise click.UsageError("The results cannot go into the submissions: name another --out.")
    if cluster and ctx.get_parameter_source("jobs") is ParameterSource.COMMANDLINE:
        raise click.UsageError("A cluster grades one for each of its cores: leave --jobs out.")
    if cluster and assignment:
        raise click.UsageError("A cluster would get the solutions: grade an assignment here.")
    level = _level(isolation, assignment)
    with _errors_as_messages(), about(out), ExitStack() as stack:

        def begin(begun: BatchStart) -> Callable[[], None]:
            _tell_begun(begun, console)
            return stack.enter_context(show_progress(begun.submissions, console))

        part = shard or ClassPart()
        settings = BatchOptions(jobs, device, level, due, part, cluster, assignment)
        intake = run_batch(submissions, out, settings, begin)
    with _errors_as_messages(), about(out), Record(out) as record:
        print_summary(record, intake.left_out, console)
        lost = any(line.verdict == "cannot_grade" for line in record.counted.values())
    sys.exit(2 if lost or any(file.is_answer for file in intake.left_out) else 0)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, path_type=Path))
@jobs
@isolation
@assignment
def regrade(folder: Path, jobs: int, isolation: str | None, assignment: Path | None) -> None:
    """Grade again what a changed rubric may change, and print what it did."""
    from rich.console import Console

    from grader.classroom import print_changes, regrade, show_progress

    console = Console(highlight=False)
    with _errors_as_messages(), about(folder), ExitStack() as stack:

        def begin(count: int) -> Callable[[], None]:
            return stack.enter_context(show_progress(count, console))

        regraded = regrade(folder, jobs, _level(isolation, assignment), begin, assignment)
    print_changes(regraded, console)


@click.command()
@click.argument("folders", metavar="DIR...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@out
def merge(folders: tuple[Path, ...], out: Path) -> None:
    """Put the results of several folders, such as the shards of a batch, into one."""
    from grader.classroom import merge

    if not folders:
        raise click.UsageError("Name the folders to merge.")
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise click.UsageError("--out is one of the folders to merge: name another.")
    with _errors_as_messages(), about(out):
        added = merge(folders, out)
    click.echo(f"{added} results added to {out}.")


@click.command()
@click.argument("learner", metavar="[LEARNER NN]", required=False)
@click.argument("exercise", metavar="", required=False)
@click.option(
    "--in",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
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
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CSV",
    help="Rows with learner, exercise, score, because, comment, line.",
)
def mark(
    learner: str | None,
    exercise: str | None,
    folder: Path,
    score: float | None,
    because: str,
    comment: str,
    line: int | None,
    withdraw: bool,
    table: Path | None,
) -> None:
    """Give LEARNER (a name or an ID) a mark for exercise NN, in place of the grader's.

    Or comment on the answer, as a whole or at a line. Either stays through regrades and further
    batches, until another submission counts; then a person is asked to look. Exports and pages
    show the mark with its reason, and the comments. `--from marks.csv` does it for each row.
    """
    from grader.classroom import marks_in

    with _errors_as_messages(), about(folder):
        if table:
            for row in marks_in(table):
                _say(folder, *row)
        elif not learner or not exercise:
            raise click.UsageError("Name a learner and an exercise, or a table: --from marks.csv.")
        else:
            _say(folder, learner, exercise, score, because.strip(), comment.strip(), line, withdraw)


def _say(
    folder: Path,
    learner: str,
    exercise: str,
    score: float | None,
    because: str,
    comment: str,
    line: int | None,
    withdraw: bool = False,
) -> None:
    from grader.classroom import add_comment, give_mark, take_back

    if withdraw == (score is not None or bool(comment)):
        raise click.UsageError(
            "Give --score POINTS with --because REASON, --comment TEXT, or --withdraw."
        )
    if score is not None and (score < 0 or not because):
        raise click.UsageError("Say why, and give no less than 0 points: the learner reads it.")
    if line and not comment:
        raise click.UsageError("Say what there is about that line: --comment TEXT.")
    if comment:
        result = add_comment(folder, learner, exercise, comment, line or 0)
    if score is not None:
        result = give_mark(folder, learner, exercise, score, because)
    if withdraw:
        result = take_back(folder, learner, exercise)
    given = "no mark" if result.mark is None else f"{result.mark} of {result.max_score} points"
    said = f" {len(result.comments)} comment{'s' * (len(result.comments) > 1)}." * bool(comment)
    click.echo(f"{result.learner}, {result.rubric.number}: {given}.{said}")


def _level(isolation: str | None, assignment: Path | None) -> Level:
    """The least isolation; below `filesystem`, code can read an assignment's solutions."""
    from grader.probe import Level

    return Level[(isolation or ("filesystem" if assignment else "process")).upper()]


@contextmanager
def _errors_as_messages() -> Iterator[None]:
    """Say in a sentence what keeps a class from being graded, and exit with 2, or with 3."""
    from grader.classroom import AssignmentError, ClusterError, LedgerError, UnreadableError
    from grader.probe import IsolationError, NoCudaDeviceError

    try:
        yield
    except (
        AssignmentError,
        IsolationError,
        LedgerError,
        NoCudaDeviceError,
        UnreadableError,
    ) as error:
        click.echo(f"grader: {error}", err=True)
        sys.exit(2)
    except ClusterError as error:
        click.echo(f"grader: {error}", err=True)
        sys.exit(NO_CLUSTER)
    except KeyboardInterrupt:
        click.echo("\nInterrupted. What was reached is kept: run it again to go on.", err=True)
        sys.exit(INTERRUPTED)


def _tell_begun(begun: BatchStart, console: Any) -> None:
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
