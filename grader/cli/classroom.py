"""Commands for teachers: grade a class."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.classroom.batch import Begun, Shard
    from grader.classroom.ledger import Entry

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


class _Part(click.ParamType):  # type: ignore[type-arg]
    name = "I/N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Shard:
        from grader.classroom.batch import Shard

        index, _, count = str(value).partition("/")
        if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
            self.fail(f"{value} is no part of a whole: write 1/4 for the first of four.")
        return Shard(int(index), int(count))


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
@click.option("--due", type=_Time(), help="What is handed in later is marked as late.")
@click.option("--shard", type=_Part(), help="Grade only this part of the learners.")
def batch(
    submissions: Path,
    out: Path,
    jobs: int,
    device: Any,
    due: datetime | None,
    shard: Shard | None,
) -> None:
    """Grade a folder or zip of SUBMISSIONS. Interrupted: run it again.

    Exits 0 if all could be graded, and 2 if some could not: they are named.
    """
    from rich.console import Console

    from grader.classroom.batch import Options, Shard, run_batch
    from grader.classroom.progress import shown
    from grader.classroom.record import Record
    from grader.classroom.summary import print_summary

    console = Console(highlight=False)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise click.UsageError("The results cannot go into the submissions: name another --out.")
    with ExitStack() as stack:

        def begin(begun: Begun) -> Callable[[Entry | None], None]:
            _tell_begun(begun, console)
            advance = stack.enter_context(shown(begun.submissions, console))
            return lambda _: advance()

        settings = Options(jobs, device, due, shard or Shard())
        intake = run_batch(submissions, out, settings, begin)
    with Record(out) as record:
        print_summary(record, intake.left_out, console)
        lost = any(line.verdict == "cannot_grade" for line in record.counted.values())
    sys.exit(2 if lost or any(each.is_answer for each in intake.left_out) else 0)


def _tell_begun(begun: Begun, console: Any) -> None:
    if begun.cut_off:
        console.print(
            f"The ledger ended in the middle of a line, {begun.cut_off} bytes long: cut off. What "
            "it was about is graded again."
        )
    console.print(
        f"{begun.submissions} submissions of {begun.learners} learners, judged on {begun.device}."
    )
