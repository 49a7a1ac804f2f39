"""Brings the three together: saves, the process that grades, and what the learner sees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watchfiles import Change, awatch

from grader.course import exercise_file, stems
from grader.learning.watching.grading_process import GradingProcess
from grader.learning.watching.session import WatchSession
from grader.loading import shortest
from grader.render import to_text
from grader.schema import Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice


# An editor may truncate a file and then write it, or write beside it and rename: several events
# within a few milliseconds. They count as one save when this much time goes by without another.
QUIET_MILLISECONDS = 20
LONGEST_MILLISECONDS = 400


def watch_on_screen(start: Rubric, device: DeviceChoice) -> None:
    """Watch from `start` on, in a terminal, until the learner quits."""
    from grader.learning.watching.screen import Screen

    grading = GradingProcess(device)
    session = _session(start, grading)
    screen = Screen(session)
    asyncio.run(_watch(session, grading, screen.redraw, screen.run()))


def watch_in_lines(start: Rubric, device: DeviceChoice, width: int) -> None:
    """Watch and print each verdict below the last, until the process is interrupted."""
    grading = GradingProcess(device)
    session = _session(start, grading)

    def print_report() -> None:
        if session.report and not session.judging:
            print(to_text(session.report, width), flush=True)
            if session.look:
                print(f"{session.look.code}\n\n{session.look.how_to_answer}\n", flush=True)

    asyncio.run(_watch(session, grading, print_report))


def _session(start: Rubric, grading: GradingProcess) -> WatchSession:
    return WatchSession(
        start, lambda rubric: grading.grade(rubric.stem, shortest(exercise_file(rubric.stem)))
    )


async def _watch(
    session: WatchSession,
    grading: GradingProcess,
    redraw: Callable[[], None],
    *others: Coroutine[Any, Any, None],
) -> None:
    """Follow saves and reports until one of the `others` ends."""

    async def follow_saves() -> None:
        async for saved in saved_exercises(exercise_file(session.rubric.stem).parent):
            current = session.rubric.stem
            session.grade_saved(current if current in saved else min(saved))
            redraw()

    async def follow_reports() -> None:
        async for report in grading.reports():
            session.show_report(report)
            redraw()

    tasks = [asyncio.ensure_future(each) for each in (follow_saves(), follow_reports(), *others)]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        grading.close()
    for task in ended:
        task.result()


async def saved_exercises(folder: Path) -> AsyncIterator[set[str]]:
    """The stems of the exercises in `folder` that were just written, replaced or removed.

    Raises:
        OSError: the folder is not there, or the system watches no more files.
    """
    known = set(stems())

    def is_exercise(change: Change, path: str) -> bool:
        return path.endswith(".py") and Path(path).stem in known

    async for changes in awatch(
        folder,
        watch_filter=is_exercise,
        debounce=LONGEST_MILLISECONDS,
        step=QUIET_MILLISECONDS,
        recursive=False,
    ):
        yield {Path(path).stem for _, path in changes}
