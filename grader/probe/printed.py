"""What the learner's code prints: kept in part, counted in whole, and never mixed into a report."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

MOST_KEPT = 2_000
MOST_PRINTED = 20_000_000


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
        """It is."""
        return True


@contextmanager
def into(printed: Printed) -> Iterator[None]:
    """Send prints there, and warnings nowhere: neither may cost a mark."""
    with redirect_stdout(printed), redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
