"""A pytest plugin, `-p tests.covered`: measures which branches of `grader/` the tests take.

pytest-cov starts when pytest has loaded the plugins that are installed, and our own is one of them:
what it imports would count as never run. A plugin named on the command line comes before.
"""

import os
import sys
import threading

import coverage

MEASURED = coverage.Coverage(data_suffix=True, config_file="pyproject.toml")
MEASURED.start()


def _stop_in_child() -> None:
    """A forked child ends without writing what it saw, so it need not be slowed down."""
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_stop_in_child)


def pytest_unconfigure() -> None:
    """Write what this process saw; a worker of pytest-xdist has its own file."""
    MEASURED.stop()
    MEASURED.save()
