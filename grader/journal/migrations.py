"""From the format of an older version to that of the next one, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = dict[str, Any]
Step = Callable[[Document], Document]
# By the version it starts from. Version 1 is the first, so there is none yet.
MIGRATIONS: Mapping[int, Step] = {}


def migrated(document: Document, to: int, steps: Mapping[int, Step] = MIGRATIONS) -> Document:
    """The document in version `to`; one that is not older comes back as it is."""
    while document["version"] < to:
        version = document["version"]
        document = {**steps[version](document), "version": version + 1}
    return document
