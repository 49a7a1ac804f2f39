"""Learners' names as parts of file names."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 40
# Letters that are no other letter with an accent.
LETTERS = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "Th",
        "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    }
)


def in_ascii(name: str) -> str:
    """A name as every file system and platform takes it: `Bjorn-Muller` for Björn Müller.

    What no Latin letter stands for is left out, so it may be empty.
    """
    letters = unicodedata.normalize("NFKD", name.translate(LETTERS))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^\w-]+", "-", plain, flags=re.ASCII).strip("-")[:LONGEST]
