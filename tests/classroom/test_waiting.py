"""What a batch says while it runs where there is no terminal."""

import threading

import pytest
from rich.console import Console

from grader.classroom import show_progress, summary


class Listener(Console):
    """Keeps what is printed, and waits for more of it."""

    def __init__(self):
        super().__init__(force_terminal=False)
        self.lines, self._came = [], threading.Semaphore(0)

    def print(self, line, **_):
        self.lines.append(line)
        self._came.release()

    def next(self):
        assert self._came.acquire(timeout=20)
        return self.lines[-1]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(summary, "SECONDS_BETWEEN_LINES", 0.05)


def test_now_and_then_it_says_how_many_are_done_or_what_is_waited_for():
    said = Listener()
    with show_progress(3, said) as tell:
        assert said.next() == "Waiting for 3 of 3; each may take 60 seconds."
        tell()
        while said.next() == "Waiting for 3 of 3; each may take 60 seconds.":
            pass
        assert said.lines[-1].startswith("1 of 3, 0:00:0")
        assert said.next() == "Waiting for 2 of 3; each may take 60 seconds."


def test_once_all_are_done_nothing_is_waited_for():
    said, before = Listener(), {*threading.enumerate()}
    with show_progress(1, said) as tell:
        tell()
        for thread in {*threading.enumerate()} - before:
            thread.join(20)

    assert not any("Waiting for 0" in line for line in said.lines)
