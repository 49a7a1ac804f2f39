"""What the learner's code prints: kept in part, counted in whole, and never mixed into a report."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

MOST_KEPT = 2_000
MOST_PRINTED = 20_000_000
STDERR = 2


class OutputLimitError(BaseException):
    """The learner's code printed more than anyone will read. No `except Exception` stops it."""


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
        kept = text[: MOST_KEPT - len(self.beginning)]
        self.beginning += kept.encode(errors="replace").decode()  # JSON has no lone surrogates
        return len(text)

    def writable(self) -> bool:
        """Required by `io.TextIOBase`."""
        return True

    def fileno(self) -> int:
        """That of the real stream, which `faulthandler.enable()` asks for."""
        return STDERR


class EmptyLines(io.TextIOBase):
    """Standard input with nobody there: `input()` gets an empty line, and all else nothing."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """The empty line that `input()` asks for. Only `input` calls this, or who asks like it."""
        return "" if size == 0 else "\n"

    def read(self, size: int | None = -1, /) -> str:
        """Nothing."""
        return ""

    def __next__(self) -> str:  # type: ignore[override]
        raise StopIteration

    def readlines(self, hint: int | None = -1, /) -> list[str]:  # type: ignore[override]
        """None."""
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
    """Send prints there and warnings nowhere, as neither may cost a mark; leave no input."""
    output = redirect_stdout(printed), redirect_stderr(printed)
    with output[0], output[1], _no_input(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
