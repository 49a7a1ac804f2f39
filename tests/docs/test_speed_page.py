"""docs/speed.md says what the stored runs of benchmarks/all.py say."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ROOT / "benchmarks"))
    import speed_page
    from speed_goals import GOALS


def test_the_page_is_written_from_the_stored_runs():
    written = speed_page.PAGE.read_text(encoding="utf-8")
    assert speed_page.page(speed_page.runs()) == written, "python benchmarks/all.py --page"


def test_every_goal_has_been_measured():
    runs = speed_page.runs()
    assert [goal.name for goal in GOALS if speed_page.last(goal.name, runs) is None] == []


def test_a_figure_is_that_of_the_last_run_that_has_it():
    first, second = (
        speed_page.Run(date, "c", False, "2.13", 2, 0.0, ratios)
        for date, ratios in (("2026-01-01", {"a": 1.0, "b": 2.0}), ("2026-01-02", {"a": 3.0}))
    )
    assert [speed_page.last(name, [first, second]) for name in "abc"] == [3.0, 2.0, None]
