"""A pytest plugin, `-p tests.covered`: measures which branches of `grader/` the tests take.

pytest-cov starts when pytest has loaded the plugins that are installed, and our own is one of them:
what it imports would count as never run. A plugin named on the command line comes before.

What judges runs in forked children, which may write no file, keep no descriptor and end by
`os._exit`. So a child adds what it took to a table in memory that it shares with its parent. One
that is killed adds nothing.

Measuring takes a third as much time again. So long tests are not measured, nor those in `ALIKE`,
and of a test's many parameters only a few, as the others say the same of other answers; but in
`DIFFERENT` each is another operator or finding, with branches of its own.
"""

import mmap
import os
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NoReturn

import coverage
import pytest

SLOTS = 1 << 18  # several times what `grader/` has of jumps from line to line
TABLE = memoryview(mmap.mmap(-1, 8 * SLOTS)).cast("Q")
FILES = [str(path) for path in sorted(Path("grader").resolve().rglob("*.py"))]
NUMBERS = {path: number for number, path in enumerate(FILES, 1)}
LINE = (1 << 14) - 1
# Each judges hundreds of answers, in children that take the same branches.
ALIKE = tuple(
    f"tests/{name}"
    for name in (
        "classroom/assignments",
        "course/templates",
        "grading/verification/mutants",
        "grading/verification/rewrites",
        "honest",
        "hostile",
        "judge/test_fixes.py",
    )
)
DIFFERENT = ("tests/judge", "tests/simulated_cuda")
FIRST = 4  # parameters of each other test

MEASURED = coverage.Coverage(data_suffix=True, config_file="pyproject.toml")
MEASURED.start()


def _taken() -> dict[str, set[int]]:
    """What this process took so far: coverage's own sets, two line numbers packed into each int.

    Written by `CTracer_record_pair`: 28 bits for each line, then a bit for each one's sign.
    """
    collector: Any = MEASURED._collector
    taken: dict[str, set[int]] = collector.data
    return taken


def _share() -> None:
    """Add what this process took to the table, a hash set of a file's number and two lines.

    Without a lock: one whose holder is killed would stop all others. If two children write to a
    slot at once, one jump is lost, which another child takes as well.
    """
    for file, jumps in _taken().items():
        for jump in jumps if file in NUMBERS else ():
            lines = jump & LINE | (jump >> 28 & LINE) << 14 | jump >> 56 << 28
            entry = NUMBERS[file] << 30 | lines
            slot = hash((entry,)) % SLOTS
            while TABLE[slot] not in (0, entry):
                slot = (slot + 1) % SLOTS
            TABLE[slot] = entry


def _shared() -> Iterator[tuple[str, int]]:
    """Each file and jump in the table, packed as coverage packs them."""
    for entry in filter(None, TABLE):
        jump = entry & LINE | (entry >> 14 & LINE) << 28 | (entry >> 28 & 3) << 56
        yield FILES[(entry >> 30) - 1], jump


def _share_before_exit() -> None:
    """In a new child: begin with nothing taken, and end by adding to the table."""
    for jumps in _taken().values():
        jumps.clear()  # not the dict: the tracer keeps the sets
    end = os._exit

    def share_and_end(status: int) -> NoReturn:
        _share()
        end(status)

    if not hasattr(end, "__wrapped__"):
        share_and_end.__wrapped__ = end  # type: ignore[attr-defined]
        os._exit = share_and_end


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_share_before_exit)


def _is_measured(item: pytest.Item) -> bool:
    if item.get_closest_marker("slow") or item.get_closest_marker("long"):
        return False
    if item.nodeid.startswith(ALIKE):
        return False
    parameters = getattr(item, "callspec", None)
    is_first = parameters is None or max(parameters.indices.values()) < FIRST
    return is_first or item.nodeid.startswith(DIFFERENT)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure nothing while any other test runs."""
    if _is_measured(item):
        return (yield)
    tracers = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    try:
        return (yield)
    finally:
        sys.settrace(tracers[0])
        threading.settrace(tracers[1])  # type: ignore[arg-type]


def pytest_unconfigure() -> None:
    """Write what this process and its children saw; each worker of pytest-xdist has a file."""
    for file, jump in _shared():
        _taken().setdefault(file, set()).add(jump)
    MEASURED.stop()
    MEASURED.save()
