"""Whatever a submission does, the grader stops waiting for it.

Each of these would have kept a parent for ever that joins its child: multiprocessing's `join` waits
for a pipe that the child has closed, and then for the process itself, without a limit.
"""

import sys
import time

import pytest

from grader.course.catalog import find, solution_file
from grader.probe.containment.limits import Limits
from grader.probe.containment.sandbox import Level, best_level, probe_confined
from grader.probe.containment.standby import Standby
from grader.probe.containment.supervisor import probe_in_child
from grader.probe.tasks import Exercise

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files are closed on Linux")

RUBRIC = find("04")
AT_MOST = 30.0
FOR_EVER = "\n    time.sleep(3600)\n"
TO_EVERY_FILE = "for number in range(3, 256):\n    try: {}\n    except OSError: pass\n"
IMPORTS = "import atexit, os, signal, sys, threading, time\n"

# What is appended to a right answer; how it ends, within three seconds.
NEVER_ENDING = {
    "garbage on the pipe, then a sleep": (
        TO_EVERY_FILE.format("os.write(number, b'x' * 100)") + "time.sleep(3600)\n",
        "tampered",
    ),
    "half a message, then a sleep": (
        TO_EVERY_FILE.format("os.write(number, b'\\0\\0\\1\\0half')") + "time.sleep(3600)\n",
        "timeout",
    ),
    "the pipe closed, then a loop": (
        TO_EVERY_FILE.format("os.close(number)") + "while True: pass\n",
        "timeout",
    ),
    "stopped": ("os.kill(os.getpid(), signal.SIGSTOP)\n", "timeout"),
    "a child that holds the pipe": (
        "import ctypes\nctypes.CDLL(None).fork() or time.sleep(3600)\n",
        "complete",  # refused
    ),
    "deaf to every signal": (
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n"
        "while True: pass\n",
        "timeout",
    ),
    "no exit": ("os._exit = lambda code: time.sleep(3600)\n", "complete"),
    "a sleep at exit": ("atexit.register(time.sleep, 3600)\n", "complete"),
    "a sleep when it is deleted": (
        "class Slow:\n    def __del__(self):" + FOR_EVER.replace("\n    ", "\n        ")
        + "slow = Slow()\nslow.itself = slow\n",
        "complete",
    ),
}  # fmt: skip


def write(folder, after):
    path = folder / f"{RUBRIC.stem}.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text(IMPORTS + source.replace('"""One', '"""A', 1) + after, encoding="utf-8")
    return Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)


@pytest.fixture
def at_once():
    """Ends within seconds, not within the hours that a submission sleeps."""
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < AT_MOST


@pytest.fixture(scope="module")
def standby():
    path = solution_file(RUBRIC.stem)
    ready = Standby(Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe))
    yield ready
    ready.close()


@pytest.mark.search
@pytest.mark.parametrize("name", NEVER_ENDING)
@pytest.mark.parametrize("level", [*Level, "check", "watch"], ids=str)
def test_it_is_ended(name, level, tmp_path, monkeypatch, standby, at_once):
    after, ending = NEVER_ENDING[name]
    limits = Limits(seconds=3.0)
    if isinstance(level, Level):
        if best_level() < level:
            pytest.skip(f"this system reaches the isolation {best_level()} only")
        monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)
        evidence = probe_confined(write(tmp_path, after), limits, level).evidence
    else:
        probe = standby.probe if level == "watch" else probe_in_child
        evidence = probe(write(tmp_path, after), limits)

    assert evidence.ending == ending, evidence
