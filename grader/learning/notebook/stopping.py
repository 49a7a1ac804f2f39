"""One line in place of a traceback where a learner interrupts a loop of theirs."""

from __future__ import annotations

import linecache
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

# Frames of the grader, of Python's library and of installed packages are nobody's answer.
NOT_THE_LEARNERS = tuple(
    str(folder)
    for folder in (
        Path(__file__).resolve().parent.parent,
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    )
)


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
    file, line, function = "", 0, ""
    while traceback is not None:
        code, number = traceback.tb_frame.f_code, traceback.tb_lineno
        is_theirs = not code.co_filename.startswith(NOT_THE_LEARNERS)
        if is_theirs and linecache.getline(code.co_filename, number):  # a dataclass's has no text
            file, line, function = code.co_filename, number, code.co_name
        traceback = traceback.tb_next
    if not line:
        return "Stopped while your file was running. Is there a loop in it that never ends?"
    own_file = Path(file).is_relative_to(Path.cwd())  # a cell's is in a temporary folder
    position = f"{Path(file).name}, line {line}" if own_file else f"line {line} of the cell"
    source = linecache.getline(file, line).strip()
    return f"Stopped in {position}, in {function}: `{source}`. Does that loop ever end?"
