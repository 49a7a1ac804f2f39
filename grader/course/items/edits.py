"""Edits as they are typed: `5: code` replaces line 5, `5+ code` follows it, `5-` deletes it.

Code takes the indentation of its line, and a level more below a line that ends in a colon, unless
it is typed with four spaces or more of its own.
"""

from __future__ import annotations

import re

from grader.errors import GraderError

EDIT = re.compile(r"\s*(\d+)\s*([:+-])(.*)")
INDENTATION = "    "
HOW = "Type LINE: new code. `5+ code` adds a line below line 5, and `5-` deletes it."


class BadEditError(GraderError, ValueError):
    """It is no edit, or there is no such line."""


def edited(source: str, typed: str) -> str:
    """The source after the edits, one a line; each counts the lines that the last one left.

    Raises:
        BadEditError: one of them is no edit of this source.
    """
    lines = source.splitlines()
    for edit in typed.splitlines():
        _apply(lines, edit)
    return "\n".join(lines) + "\n"


def _apply(lines: list[str], edit: str) -> None:
    parts = EDIT.fullmatch(edit)
    if parts is None:
        raise BadEditError(HOW)
    at = int(parts[1]) - 1
    if not 0 <= at < len(lines):
        raise BadEditError(f"There is no line {parts[1]}. {HOW}")
    if parts[2] == "-":
        del lines[at]
    elif parts[2] == ":":
        lines[at] = _indented(parts[3], _indentation(lines[at]))
    else:
        deeper = INDENTATION if lines[at].endswith(":") else ""
        lines.insert(at + 1, _indented(parts[3], _indentation(lines[at]) + deeper))


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _indented(code: str, indentation: str) -> str:
    own = _indentation(code.removeprefix(" "))
    return (own if len(own) >= len(INDENTATION) else indentation) + code.strip()
