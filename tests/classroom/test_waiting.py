"""What a batch says while it runs where there is no terminal."""

import threading
from io import StringIO

import pytest
from rich.console import Console

from grader.classroom import show_progress, summary


def wait_for_timers():
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(20)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(summary, "SECONDS_BETWEEN_LINES", 0.05)


@pytest.mark.usefixtures("quick")
def test_where_nothing_comes_it_says_what_is_waited_for_and_how_long_that_may_take():
    said = StringIO()
    with show_progress(3, Console(file=said)) as tell:
        tell()
        wait_for_timers()
        tell()
        tell()

    assert "Waiting for 2 of 3; each may take 60 seconds.\n" in said.getvalue()


@pytest.mark.usefixtures("quick")
def test_once_all_are_done_nothing_is_waited_for():
    said = StringIO()
    with show_progress(1, Console(file=said)) as tell:
        tell()
        wait_for_timers()

    assert "Waiting" not in said.getvalue()
