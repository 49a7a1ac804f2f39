"""Facts with some of their attributes changed."""

from __future__ import annotations

from typing import Any, TypeVar

Facts = TypeVar("Facts")


def changed(facts: Facts, **changes: Any) -> Facts:
    """As `dataclasses.replace` of a class without slots, in a tenth of the time.

    That function calls the constructor, which sets each attribute past `frozen`.
    """
    copy = object.__new__(type(facts))
    vars(copy).update(vars(facts), **changes)
    return copy
