"""How far a batch is: a bar with the time left on a terminal, else a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def shown(total: int, console: Console) -> Iterator[Callable[[], None]]:
    """Show how many of `total` are done, for as long as the `with` block lasts."""
    if not console.is_terminal:
        yield _Lines(total, console)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=total)
        yield lambda: progress.advance(bar)


class _Lines:
    def __init__(self, total: int, console: Console) -> None:
        self._total, self._console = total, console
        self._done, self._begun = 0, time.monotonic()
        self._told = self._begun

    def __call__(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._told < SECONDS_BETWEEN_LINES:
            return
        self._told = now
        left = (now - self._begun) / self._done * (self._total - self._done)
        line = f"{self._done} of {self._total}, {timedelta(seconds=round(left))} left"
        self._console.print(line, highlight=False)
