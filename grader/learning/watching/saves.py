"""Which exercises were saved, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from watchfiles import Change, awatch

from grader.course import stems

# An editor may truncate a file and then write it, or write beside it and rename: several events
# within a few milliseconds. They count as one save when this much time goes by without another.
QUIET_MILLISECONDS = 20
LONGEST_MILLISECONDS = 400


async def saves(folder: Path) -> AsyncIterator[set[str]]:
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
