"""Tables of names, written as text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text that is laid out over several lines."""
    return frozenset(text.split())
