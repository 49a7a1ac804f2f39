"""From the format of an older version to that of the next one, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = dict[str, Any]
Step = Callable[[Document], Document]


def _with_faults(document: Document) -> Document:
    """Version 2 keeps what was wrong at the last check of each exercise."""
    return {**document, "faults": {}}


def _with_report_shown(document: Document) -> Document:
    """Version 3 marks an attempt whose report was not shown; older ones all were, the default."""
    return document


# By the version it starts from.
MIGRATIONS: Mapping[int, Step] = {1: _with_faults, 2: _with_report_shown}


def migrated(document: Document, to: int, steps: Mapping[int, Step] = MIGRATIONS) -> Document:
    """The document in version `to`; one that is not older comes back as it is."""
    while document["version"] < to:
        version = document["version"]
        document = {**steps[version](document), "version": version + 1}
    return document
