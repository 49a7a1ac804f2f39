"""Classes whose cell was run again, while what came of the earlier class was not made again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from grader.schema import Report


def with_replaced(report: Report, judged: Any) -> Report:
    """The report, with a sentence for each class that is no longer the one that was judged.

    Args:
        report: the report.
        judged: the class, or the module, that it is about.
    """
    lines = dict.fromkeys((*_sentences(judged), *filter(None, [report.message])))
    return replace(report, message="\n".join(lines))


def _sentences(judged: Any) -> Iterator[str]:
    cls = judged if isinstance(judged, type) else type(judged)
    cells = vars(sys.modules["__main__"])  # the cells' namespace
    for old in cls.__mro__:
        now, name = cells.get(old.__qualname__), old.__name__
        if old.__module__ != "__main__" or not isinstance(now, type) or now in cls.__mro__:
            continue
        if old is not cls:
            yield (
                f"`{name}` is now another class: `{cls.__name__}` still inherits from the one "
                f"before. Run the cell of `{cls.__name__}` again."
            )
        elif old is not judged:
            yield (
                f"`{name}` is now another class: this module was made by the one before. Run the "
                "cell that makes it again."
            )
