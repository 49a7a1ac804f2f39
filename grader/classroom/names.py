"""Learners' names as parts of file names."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40
# Letters that are no other letter with an accent.
LETTERS = str.maketrans("øØłŁđĐð\N{LATIN SMALL LETTER DOTLESS I}", "oOlLdDdi") | str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"}
)


def in_ascii(name: str) -> str:
    """A name as every file system and platform takes it: `Bjorn-Muller` for Björn Müller.

    What no Latin letter stands for is left out, so it may be empty.
    """
    letters = unicodedata.normalize("NFKD", name.translate(LETTERS))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^\w-]+", "-", plain, flags=re.ASCII).strip("-")[:LONGEST]
