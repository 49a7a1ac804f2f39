"""What is printed where the terminal or pipe is not UTF-8: other signs, and never an exception."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

# What ASCII has in their place; accents are dropped, and anything else is a question mark.
SIGNS = {"→": "->", "←": "<-", "…": "..."}
_ONE = "✓✗·•—\N{EN DASH}\N{MULTIPLICATION SIGN}─━│█"
SIGNS |= dict(zip(_ONE, "+x**--x--|#", strict=True))


def print_other_signs() -> None:
    """Replace what standard output and error cannot encode, from here on."""
    codecs.register_error("grader.signs", _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="grader.signs")


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_sign, error.object[error.start : error.end])), error.end


def _sign(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return SIGNS.get(letter) or plain or "?"
