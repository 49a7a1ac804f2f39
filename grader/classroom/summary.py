"""How far a batch is, and what it comes to.

While it runs: a bar with the time left on a terminal, else a line now and then. In the end: a line
for each exercise, and by name whatever a person should look at.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer
from typing import get_args

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from grader.classroom.grading.regrade import RegradeResult, ScoreChange
from grader.classroom.intake.documents import LeftOut
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


def print_summary(record: Record, left_out: Iterable[LeftOut], console: Console) -> None:
    console.print(Group(*_parts(record, list(left_out))), crop=False, highlight=False)


def print_changes(regraded: RegradeResult, console: Console) -> None:
    """Print who went up and who down after a regrade."""
    up = [change for change in regraded.changes if change.difference > 0]
    down = [change for change in regraded.changes if change.difference < 0]
    other = [change for change in regraded.changes if not change.difference]
    unchanged = regraded.count - len(regraded.changes)
    console.print(f"{regraded.count} graded again, {unchanged} of them with the same result.")
    titles = {"Up:": up, "Down:": down, "The same points, another verdict:": other}
    for title, changes in titles.items():
        for part in _list_names(title, [_status_text(change) for change in changes]):
            console.print(part, highlight=False)


def _status_text(change: ScoreChange) -> str:
    (was, points), (now, now_points) = change.before, change.after
    verdicts = HEADLINES[now] if was == now else f"{HEADLINES[was]} → {HEADLINES[now]}"
    return f"{change.learner}, {change.exercise}: {points} → {now_points} points, {verdicts}"


def _parts(record: Record, left_out: list[LeftOut]) -> Iterator[RenderableType]:
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
    """Show how many of `total` are done, for as long as the `with` block lasts."""
    with _Lines(total, console) as lines:
        if not console.is_terminal:
            yield lines
            return
        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task("", total=total)

            def advance() -> None:
                lines.note()
                progress.advance(bar)

            yield advance


class _Lines:
    """A line now and then, and one where nothing has come for some time: of endless loops, say."""

    def __init__(self, total: int, console: Console) -> None:
        self._total, self._console = total, console
        self._done, self._begun = 0, time.monotonic()
        self._told = self._begun
        self._watch = self._new_watch()

    def __call__(self) -> None:
        self.note()
        now = time.monotonic()
        if now - self._told < SECONDS_BETWEEN_LINES:
            return
        self._told = now
        left = (now - self._begun) / self._done * (self._total - self._done)
        line = f"{self._done} of {self._total}, {timedelta(seconds=round(left))} left"
        self._console.print(line, highlight=False)

    def note(self) -> None:
        """One more is done."""
        self._done += 1
        self._watch.cancel()
        self._watch = self._new_watch()

    def _new_watch(self) -> Timer:
        watch = Timer(SECONDS_BETWEEN_LINES, self._say_what_is_waited_for)
        watch.daemon = True
        if self._done < self._total:
            watch.start()
        return watch

    def _say_what_is_waited_for(self) -> None:
        left, most = self._total - self._done, Limits().seconds
        line = f"Waiting for {left} of {self._total}; each may take {most:.0f} seconds."
        self._console.print(line, highlight=False)

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.cancel()
