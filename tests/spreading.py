"""The order of tests on several workers: each starts with its share of the long ones.

`--dist worksteal` cuts the list of tests into a chunk for each worker, and a worker without work
takes half of what another has left. In the order of the files, the last tests of a run may then be
a minute long, with nothing for the other workers to do.
"""

from itertools import groupby, islice
from pathlib import Path

import pytest


def long_ones_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The items in an order whose chunks, one for each worker, begin with long tests."""
    long_ones = [item for item in items if _is_long(item)]
    others = (item for item in items if not _is_long(item))
    heads: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for number, (_, together) in enumerate(groupby(long_ones, _together)):
        heads[number % workers] += together
    ordered: list[pytest.Item] = []
    for number, head in enumerate(heads):
        size = (len(items) - len(ordered)) // (workers - number)
        ordered += [*head, *islice(others, max(0, size - len(head)))]
    return [*ordered, *others]


def _is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("slow", "long"))


def _together(item: pytest.Item) -> Path:
    """Tests of a file share fixtures; those of the browser's folder share a JupyterLab."""
    return item.path.parent if item.path.parent.name == "browser" else item.path
