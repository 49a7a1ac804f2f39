"""How far a batch is; in the end a line an exercise, and by name whom a person should look at."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from threading import Event, Thread
from typing import get_args

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from grader.classroom.grading.regrade import ScoreChange
from grader.classroom.intake.documents import Document
from grader.classroom.results.gradebook import NOT_HANDED_IN, Gradebook, Result, average
from grader.probe import Limits
from grader.render import HEADLINES, visible
from grader.schema import FlagKind

COLUMNS = {name: name for name in ("passed", "failed")}
COLUMNS |= {"not_attempted": "untouched", NOT_HANDED_IN: "missing"}
NAMES = ("passed", "failed", "untouched", "other", "missing", "late")
MOST_LISTED = 20
KINDS = get_args(FlagKind)


def print_summary(book: Gradebook, left_out: Iterable[Document], console: Console) -> None:
    console.print(Group(*_parts(book, left_out)), crop=False, highlight=False)


def print_changes(count: int, changes: Sequence[ScoreChange], console: Console) -> None:
    """Print who went up and who down, when so many were graded again."""
    unchanged = count - len(changes)
    console.print(f"{count} graded again, {unchanged} of them with the same result.")
    for title, sign in (("Up:", 1), ("Down:", -1), ("The same points, another verdict:", 0)):
        lines = [_status_text(change) for change in changes if change.sign == sign]
        for part in _list_names(title, lines):
            console.print(part, highlight=False)


def _status_text(change: ScoreChange) -> str:
    (was, points), (now, now_points) = change.before, change.after
    verdicts = HEADLINES[now] if was == now else f"{HEADLINES[was]} → {HEADLINES[now]}"
    return f"{change.learner}, {change.exercise}: {points} → {now_points} points, {verdicts}"


def _parts(book: Gradebook, left_out: Iterable[Document]) -> Iterator[RenderableType]:
    yield _table(book)
    results = sorted(book.results(), key=lambda result: result.rubric.number)
    odd = [result for result in results if result.is_unsettled]
    yield from _list_names("To look at:", map(_unsettled, odd))
    flagged = [result for result in results if result.flags and result.needs_a_person]
    flagged.sort(key=lambda result: KINDS.index(result.flags[0].kind))  # imports come first
    yield from _list_names(
        "Flagged: the marks stand, and a person should look (docs/isolation.md#flags).",
        map(_flagged, flagged),
    )
    yield from _list_names("Not graded:", (f"{file.file} {file.why}" for file in left_out))


def _unsettled(result: Result) -> str:
    assert result.entry
    report = result.entry.report
    message = (report.message or "?").splitlines()[0]
    return f"{result.learner}, {result.rubric.number}: {HEADLINES[report.verdict]}. {message}"


def _flagged(result: Result) -> str:
    first, *rest = result.flags
    more = f" (and {len(rest)} more)" if rest else ""
    return f"{result.learner}, {result.rubric.number}: {first}{more}"


def _table(book: Gradebook) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("", no_wrap=True, overflow="ellipsis")
    for name in (*NAMES, "average"):
        table.add_column(name, justify="right", min_width=len(name))
    for rubric in book.exercises:
        results = book.of_exercise(rubric)
        kinds = Counter(COLUMNS.get(result.verdict, "other") for result in results)
        kinds["late"] = sum(result.is_late for result in results)
        numbers = (str(kinds[name] or "-") for name in NAMES)
        table.add_row(rubric.number, rubric.title, *numbers, average(results) or "-")
    return table


def _list_names(title: str, listed: Iterable[str]) -> Iterator[Text]:
    if not (lines := list(listed)):
        return
    yield Text(f"\n{title}", style="bold")
    for line in lines[:MOST_LISTED]:
        yield Text(f"  {visible(line)}", no_wrap=True, overflow="ignore")
    if len(lines) > MOST_LISTED:
        yield Text(f"  … and {len(lines) - MOST_LISTED} more")


SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def show_progress(total: int, console: Console) -> Iterator[Callable[[], None]]:
    """Show how many of `total` are done, for as long as the `with` block lasts.

    On a terminal with a bar, else with a line now and then; also a line where nothing comes for
    some time: of endless loops, say.
    """
    done, is_over = [0], Event()
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    progress = Progress(*columns, console=console)
    bar = progress.add_task("", total=total)

    def advance() -> None:
        done[0] += 1
        progress.advance(bar)

    with progress if console.is_terminal else nullcontext():
        Thread(target=_tell, args=(done, total, is_over, console), daemon=True).start()
        try:
            yield advance
        finally:
            is_over.set()


def _tell(done: list[int], total: int, is_over: Event, console: Console) -> None:
    begun, before = time.monotonic(), 0
    while not is_over.wait(SECONDS_BETWEEN_LINES) and done[0] < total:
        count, left = done[0], total - done[0]
        if count == before:
            most = Limits().seconds
            line = f"Waiting for {left} of {total}; each may take {most:.0f} seconds."
        else:
            seconds = round((time.monotonic() - begun) / count * left)
            line = f"{count} of {total}, {timedelta(seconds=seconds)} left"
        if count == before or not console.is_terminal:
            console.print(line, highlight=False)
        before = count
