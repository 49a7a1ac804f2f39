"""The order of tests on several workers: each starts with its share of the slow ones.

`--dist worksteal` cuts the list of tests into a chunk for each worker, and a worker without work
takes half of what another has left. In the order of the files, the last tests of a run may then be
a minute long, with nothing for the other workers to do.
"""

from itertools import groupby, islice
from pathlib import Path

import pytest


def slow_ones_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The items in an order whose chunks, one for each worker, begin with slow tests."""
    slow_ones = [item for item in items if _is_slow(item)]
    others = (item for item in items if not _is_slow(item))
    heads: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for number, (_, together) in enumerate(groupby(slow_ones, _together)):
        heads[number % workers] += together
    ordered: list[pytest.Item] = []
    for number, head in enumerate(heads):
        size = (len(items) - len(ordered)) // (workers - number)
        ordered += [*head, *islice(others, max(0, size - len(head)))]
    return [*ordered, *others]


def _is_slow(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("slow"))


def _together(item: pytest.Item) -> Path:
    """Tests of a file share fixtures; those of two folders the site and a JupyterLab."""
    return Path("site") if item.path.parent.name in ("browser", "docs") else item.path
