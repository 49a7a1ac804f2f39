"""A pytest plugin, `-p tests.covered`: measures which branches of `grader/` the tests take.

pytest-cov starts when pytest has loaded the plugins that are installed, and our own is one of them:
what it imports would count as never run. A plugin named on the command line comes before.
"""

import coverage

MEASURED = coverage.Coverage(data_suffix=True, config_file="pyproject.toml")
MEASURED.start()


def pytest_unconfigure() -> None:
    """Write what this process saw; a worker of pytest-xdist has its own file."""
    MEASURED.stop()
    MEASURED.save()
