"""Each worker of pytest-xdist begins with slow tests, and every test is run once."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from spreading import slow_ones_first


def items_of(file, count, *marks):
    return [
        SimpleNamespace(path=Path(file), get_closest_marker=lambda name: name in marks, number=n)
        for n in range(count)
    ]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_chunk_begins_with_its_share_of_the_slow_tests(workers):
    lab = items_of("browser/test_a.py", 2, "slow") + items_of("browser/test_b.py", 2, "slow")
    quick, wheel = items_of("test_c.py", 30), items_of("test_d.py", 3, "slow")
    answers = items_of("test_e.py", 3, "slow")
    items = [*lab, *quick, *wheel, *answers]

    ordered = slow_ones_first(items, workers)

    assert sorted(map(id, ordered)) == sorted(map(id, items))
    size = len(items) // workers
    heads = [[lab, wheel, answers][n::workers] for n in range(workers)]
    for number, head in enumerate(heads):
        expected = [item for group in head for item in group]
        assert ordered[number * size :][: len(expected)] == expected


def test_more_slow_tests_than_a_chunk_holds():
    items = [*items_of("test_a.py", 5, "slow"), *items_of("test_b.py", 1)]

    assert slow_ones_first(items, 3) == items
