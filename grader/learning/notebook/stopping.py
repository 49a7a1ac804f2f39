"""One line in place of a traceback where a learner interrupts a loop of theirs."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from grader.probe import is_library


class StoppedError(KeyboardInterrupt):
    """An interrupt in the learner's code; it ends "Run All" as any other does."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        return [str(self)]


@contextmanager
def stopped_in_one_line() -> Iterator[None]:
    """Around code of a learner's that is run for them.

    Raises:
        StoppedError: it was interrupted; the message names the line that was running.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise StoppedError(_one_line_traceback(interrupt.__traceback__)) from None


def _one_line_traceback(traceback: TracebackType | None) -> str:
    calls = [(frame.f_code, line) for frame, line in walk_tb(traceback)]
    own = [(code, line) for code, line in calls if not is_library(code)]
    # a dataclass's methods have no text
    lines = [(code, line) for code, line in own if linecache.getline(code.co_filename, line)]
    if not lines:
        return "Stopped while your file was running. Is there a loop in it that never ends?"
    code, line = lines[-1]
    file = Path(code.co_filename)
    own_file = file.is_relative_to(Path.cwd())  # a cell's is in a temporary folder
    position = f"{file.name}, line {line}" if own_file else f"line {line} of the cell"
    source = linecache.getline(code.co_filename, line).strip()
    return f"Stopped in {position}, in {code.co_name}: `{source}`. Does that loop ever end?"
