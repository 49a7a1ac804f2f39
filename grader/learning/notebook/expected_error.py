"""What a learner's code raises, in the learner's lines: an expected error, an interrupted loop.

`with expected_error():` runs a block that may raise, and shows the error in a few lines.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import CodeType, TracebackType

from grader.learning.notebook.display import running_shell
from grader.learning.notebook.widgets import show_bundle
from grader.probe import is_library
from grader.render import STYLE, render_template


@dataclass(frozen=True)
class TracebackLine:
    """A line of the learner's that was being run when the error was raised."""

    cell: str
    number: int
    function: str
    code: str

    def __str__(self) -> str:
        return f"line {self.number} of {self.cell}"


@contextmanager
def expected_error() -> Iterator[None]:
    """Show what the block raises, with the learner's line, and go on after it.

    JupyterLab would show the whole traceback and run none of the cells below. A block that raises
    nothing runs as if it stood alone, so that a cell does not give away whether it raises.
    """
    try:
        yield
    except Exception as error:
        _show(error)


def _show(error: Exception) -> None:
    # Some messages quote a second traceback, with this machine's paths, from their second line on.
    message = (str(error).splitlines() or [""])[0]
    name = type(error).__name__
    lines = own_lines(error.__traceback__)
    headline = f"{name}: {message}" if message else name
    text = "\n".join([headline, *(f"  {line}: {line.code}" for line in lines[-1:])])
    if running_shell() is None:
        print(text)
        return
    values = {"name": name, "message": message, "lines": lines, "style": STYLE}
    html = str(render_template("grader.learning.notebook", "expected_error.html", **values))
    show_bundle({"text/html": html, "text/plain": text})


def own_lines(traceback: TracebackType | None) -> list[TracebackLine]:
    """The learner's lines of a traceback, outermost first; those of libraries are left out."""
    calls = _own_calls(traceback)
    return [
        TracebackLine(
            "this cell" if code.co_filename == calls[0][0].co_filename else "an earlier cell",
            number,
            code.co_name,
            linecache.getline(code.co_filename, number).strip(),
        )
        for code, number in calls
    ]


def _own_calls(traceback: TracebackType | None) -> list[tuple[CodeType, int]]:
    calls = ((frame.f_code, number) for frame, number in walk_tb(traceback))
    return [(code, number) for code, number in calls if not is_library(code)]


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
    calls = _own_calls(traceback)
    # a dataclass's methods have no text
    lines = [(code, n) for code, n in calls if linecache.getline(code.co_filename, n)]
    if not lines:
        return "Stopped while your file was running. Is there a loop in it that never ends?"
    code, line = lines[-1]
    file = Path(code.co_filename)
    own_file = file.is_relative_to(Path.cwd())  # a cell's is in a temporary folder
    position = f"{file.name}, line {line}" if own_file else f"line {line} of the cell"
    source = linecache.getline(code.co_filename, line).strip()
    return f"Stopped in {position}, in {code.co_name}: `{source}`. Does that loop ever end?"
