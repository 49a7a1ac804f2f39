"""Brings the three together: saves, the bench, and what the learner sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from grader.course import exercise_file
from grader.learning.watching.bench import Bench
from grader.learning.watching.saves import saves
from grader.learning.watching.session import Session
from grader.loading import shortest
from grader.render import to_text
from grader.schema import Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice


def watch_on_screen(start: Rubric, device: DeviceChoice) -> None:
    """Watch from `start` on, in a terminal, until the learner quits."""
    from grader.learning.watching.screen import Screen

    watch = _Watch(start, device)
    screen = Screen(watch.session)
    asyncio.run(watch.run(screen.changed, screen.run()))


def watch_in_lines(start: Rubric, device: DeviceChoice, width: int) -> None:
    """Watch and print each verdict below the last, until the process is interrupted."""
    watch = _Watch(start, device)

    def print_report() -> None:
        if watch.session.report and not watch.session.judging:
            print(to_text(watch.session.report, width), flush=True)

    asyncio.run(watch.run(print_report))


class _Watch:
    def __init__(self, start: Rubric, device: DeviceChoice) -> None:
        self._folder = exercise_file(start.stem).parent
        self._bench = Bench(device)
        self.session = Session(start, self._grade)

    async def run(self, changed: Callable[[], None], *others: Coroutine[Any, Any, None]) -> None:
        """Follow saves and reports until one of the `others` ends."""
        followed = (self._follow_saves(changed), self._follow_reports(changed))
        try:
            await _until_one_ends(*followed, *others)
        finally:
            self._bench.close()

    def _grade(self, rubric: Rubric) -> None:
        self._bench.grade(rubric.stem, shortest(exercise_file(rubric.stem)))

    async def _follow_saves(self, changed: Callable[[], None]) -> None:
        async for stems in saves(self._folder):
            current = self.session.rubric.stem
            self.session.saved(current if current in stems else min(stems))
            changed()

    async def _follow_reports(self, changed: Callable[[], None]) -> None:
        async for done in self._bench.reports():
            self.session.judged(done.report)
            changed()


async def _until_one_ends(*coroutines: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        task.result()
