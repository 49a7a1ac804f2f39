"""Breaks the lines of a text between words, where they are too long for a terminal or a cell."""

from __future__ import annotations

import re
from textwrap import fill

# How a line begins; the lines that it is continued in begin with as many spaces.
LEAD = re.compile(r" *(?:[A-Z]\. |[✓✗] )?")


def fitted(text: str, width: int) -> str:
    """The same text in lines of at most `width` characters; a longer word has a line of its own."""
    return "\n".join(
        fill(
            line,
            width,
            subsequent_indent=" " * len(LEAD.findall(line)[0]),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )
