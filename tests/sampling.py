"""Of each search an eighth, which a seed chooses: a push has its commit's, the night has all."""

import hashlib
from collections import defaultdict

import pytest

OF = 8


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sample", help="run an eighth of each search: any text chooses another one")


def without_the_rest(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """The items but for seven eighths of those of each test that is marked as a search."""
    searches = defaultdict[str, list[str]](list)
    for item in items:
        if item.get_closest_marker("search"):
            searches[item.nodeid.partition("[")[0]].append(item.nodeid)
    chosen = {name for names in searches.values() for name in drawn(names, seed)}
    return [i for i in items if i.nodeid in chosen or not i.get_closest_marker("search")]


def drawn(names: list[str], seed: str) -> list[str]:
    """An eighth of the names, at least one; the same names whatever their order."""
    ordered = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    return ordered[: max(1, round(len(names) / OF))]
