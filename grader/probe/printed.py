"""Captures what the learner's code prints: the beginning is kept, all of it is counted."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

MOST_KEPT = 2_000  # characters in a report
MOST_PRINTED = 20_000_000  # characters, after which the probe ends
STDERR = 2


class OutputLimitError(BaseException):
    """The learner's code printed too much. A BaseException, so `except Exception` lets it pass."""


class Printed(io.TextIOBase):
    """A stream that keeps the beginning of what is written, and counts the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.beginning = ""
        self._left = MOST_PRINTED

    def write(self, text: str) -> int:
        """Take `text`.

        Raises:
            OutputLimitError: `MOST_PRINTED` characters have been written.
        """
        self._left -= len(text)
        if self._left < 0:
            raise OutputLimitError
        beginning = text[: MOST_KEPT - len(self.beginning)]
        self.beginning += beginning.encode(errors="replace").decode()  # JSON has no lone surrogates
        return len(text)

    def writable(self) -> bool:
        """Required by `io.TextIOBase`."""
        return True

    def fileno(self) -> int:
        """The descriptor of standard error, for which `faulthandler.enable()` asks."""
        return STDERR


class EmptyLines(io.TextIOBase):
    """Standard input without a person: `input()` gets empty lines, `read` and loops get nothing."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """An empty line, which is what `input()` asks for."""
        return "" if size == 0 else "\n"

    def read(self, size: int | None = -1, /) -> str:
        """`""`, the end of the file."""
        return ""

    def __next__(self) -> str:  # type: ignore[override]
        raise StopIteration

    def readlines(self, hint: int | None = -1, /) -> list[str]:  # type: ignore[override]
        """`[]`, the end of the file."""
        return []

    def readable(self) -> bool:
        """Required by `io.TextIOBase`."""
        return True


@contextmanager
def _no_input() -> Iterator[None]:
    before, sys.stdin = sys.stdin, EmptyLines()
    try:
        yield
    finally:
        sys.stdin = before


@contextmanager
def into(printed: Printed) -> Iterator[None]:
    """Redirect standard output and error to `printed`, silence warnings, and empty the input.

    Neither what code prints nor what it warns of changes a report.
    """
    output = redirect_stdout(printed), redirect_stderr(printed)
    with output[0], output[1], _no_input(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
