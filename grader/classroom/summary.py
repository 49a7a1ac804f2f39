"""How far a batch is; in the end a line an exercise, and by name whom a person should look at."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
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
from grader.classroom.intake.exercises import course
from grader.classroom.results.gradebook import Result, average
from grader.classroom.results.ledger import Entry, Record
from grader.course import solution_file
from grader.probe import Limits
from grader.render import HEADLINES, visible
from grader.schema import FlagKind, Verdict

COLUMNS: dict[Verdict, str] = {"passed": "passed", "failed": "failed", "not_attempted": "untouched"}
MOST_LISTED = 20
KINDS = get_args(FlagKind)
ALIKE = {"passed", "failed"}  # the starter is alike for all


def print_summary(record: Record, left_out: Iterable[Document], console: Console) -> None:
    console.print(Group(*_parts(record, list(left_out))), crop=False, highlight=False)


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


def _parts(record: Record, left_out: list[Document]) -> Iterator[RenderableType]:
    odd: list[str] = []
    flagged: list[tuple[int, str]] = []
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    results: dict[str, list[Result]] = defaultdict(list)
    for entry in record.entries():
        _count(entry, counts[entry.exercise])
        verdict = entry.report.verdict
        counted = entry if entry.has_result else None
        result = Result(entry.learner, course()[entry.exercise], counted)
        results[entry.exercise].append(result)
        if result.is_unsettled:
            message = (entry.report.message or "?").splitlines()[0]
            odd.append(f"{entry.learner}, {entry.exercise}: {HEADLINES[verdict]}. {message}")
        if result.flags and result.needs_a_person:
            flagged.append(_flagged(entry))
        if verdict in ALIKE:
            alike[entry.exercise, entry.submission].append(entry.learner)
    yield _table(counts, {number: average(those) for number, those in results.items()})
    yield from _list_names("To look at:", odd)
    lines = [line for _, line in sorted(flagged, key=lambda item: item[0])]
    yield from _list_names(
        "Flagged: the marks stand, and a person should look (docs/isolation.md#flags).", lines
    )
    same = [_alike(*key, names) for key, names in alike.items() if names[1:]]
    yield from _list_names("Handed in alike, byte for byte:", same)
    yield from _list_names("Not graded:", [f"{file.file} {file.why}" for file in left_out])


def _alike(number: str, submission: str, names: list[str]) -> str:
    """Who handed in the same; of the course's own solution only how many, for all can have it."""
    solution = solution_file(course()[number].stem)
    if submission == hashlib.sha256(solution.read_bytes()).hexdigest():
        return f"{number}: {len(names)} learners, equal to the course's solution"
    return f"{number}: {', '.join(names)}"


def _flagged(entry: Entry) -> tuple[int, str]:
    """A line on what is flagged in an answer, and its place: imports come first."""
    first, *rest = entry.report.flags
    more = f" (and {len(rest)} more)" if rest else ""
    return KINDS.index(first.kind), f"{entry.learner}, {entry.exercise}: {first}{more}"


def _count(entry: Entry, counts: Counter[str]) -> None:
    kind = entry.report.verdict if entry.is_handed_in else "missing"
    counts[kind if kind in COLUMNS or kind == "missing" else "odd"] += 1
    counts["late"] += entry.late


def _table(counts: dict[str, Counter[str]], averages: dict[str, str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("", no_wrap=True, overflow="ellipsis")
    for name in (*COLUMNS.values(), "other", "missing", "late", "average"):
        table.add_column(name, justify="right", min_width=len(name))
    for number, count in sorted(counts.items()):
        kinds = (*COLUMNS, "odd", "missing", "late")
        numbers = (str(count[kind] or "-") for kind in kinds)
        table.add_row(number, course()[number].title, *numbers, averages[number] or "-")
    return table


def _list_names(title: str, lines: list[str]) -> Iterator[Text]:
    if not lines:
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
