"""A pytest plugin: a test or a run that stands still prints its stacks, and ends.

Whoever waits may hold Python's lock, so a thread in C watches: faulthandler's. Each report winds it
up again. If it runs down, the process prints where each of its threads is, and ends.

1. A worker of pytest-xdist is replaced, its test has failed, and the others go on.
2. Where no worker reports anything, as when none has a test, the process that started them ends.
"""

import faulthandler
import os

import pytest

SECONDS = 20 * 60  # generous: a slow machine is no fault
WATCH = {"file": 2, "timeout": SECONDS, "exit": True}


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "how long a test may take"
    parser.addoption("--stall-seconds", type=float, default=SECONDS, help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Take the standard error that there is before a test's is captured."""
    later = 0 if hasattr(config, "workerinput") else 10 * 60  # a worker first
    WATCH.update(file=os.dup(2), timeout=config.getoption("--stall-seconds") + later)
    if later:  # a worker has no test yet
        pytest_runtest_logstart()


def pytest_runtest_logstart() -> None:
    faulthandler.dump_traceback_later(**WATCH)  # type: ignore[arg-type]


def pytest_runtest_logreport() -> None:
    faulthandler.dump_traceback_later(**WATCH)  # type: ignore[arg-type]


def pytest_unconfigure() -> None:
    faulthandler.cancel_dump_traceback_later()
