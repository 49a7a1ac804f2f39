"""The numbers of exercises and notebooks, such as `05b`."""

from __future__ import annotations


def full_number(name: str | float) -> str:
    """The number as stems have it: `05b` for `5B`, and `03` for 3, as a notebook may say."""
    number = str(name).strip().lower()
    is_short = number[:1].isdigit() and not number[1:2].isdigit()
    return f"0{number}" if is_short else number
