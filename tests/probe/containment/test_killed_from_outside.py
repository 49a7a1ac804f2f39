"""A probe that somebody else kills is tried again; what the answer is worth does not depend on it.

The system does so when memory runs out, and it does not look for whoever used it up.
"""

import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.course.catalog import find, solution_file
from grader.probe.containment.standby import Standby
from grader.probe.containment.supervisor import MOST_TRIES, RefusedError, probe_in_child
from grader.probe.tasks import Exercise

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sends SIGKILL past Python")

RUBRIC = find("04")


def task(path):
    return Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)


@dataclass(frozen=True)
class Killer:
    """Kills a child before the learner's code, as often as it is asked to, and counts."""

    tries: Path
    kills: int

    def enter(self):
        with self.tries.open("a") as file:
            file.write("x")
        if self.count <= self.kills:
            ctypes.CDLL(None).kill(os.getpid(), signal.SIGKILL)

    def lock_down(self):
        pass

    def require_room(self):
        pass

    @property
    def count(self):
        return len(self.tries.read_text())


@pytest.mark.parametrize("kills", range(MOST_TRIES))
def test_a_killed_probe_is_tried_again(kills, tmp_path):
    killer = Killer(tmp_path / "tries", kills)

    evidence = probe_in_child(task(solution_file(RUBRIC.stem)), sandbox=killer)

    assert (evidence.ending, killer.count) == ("complete", kills + 1)


def test_after_a_few_tries_nothing_is_said_about_the_answer(tmp_path):
    killer = Killer(tmp_path / "tries", 100)

    with pytest.raises(RefusedError, match=r"killed from outside.*says nothing about the answer"):
        probe_in_child(task(solution_file(RUBRIC.stem)), sandbox=killer)
    assert killer.count == MOST_TRIES


def test_a_child_that_stands_by_and_is_killed_is_replaced(tmp_path):
    tries = tmp_path / "tries"
    path = tmp_path / f"{RUBRIC.stem}.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    first_time = (
        "import os, torch\n"
        f"with open({str(tries)!r}, 'a') as file: file.write('x')\n"
        f"if os.path.getsize({str(tries)!r}) == 1:\n"
        # The system then sends SIGKILL, as for lack of memory.
        "    import resource; resource.setrlimit(resource.RLIMIT_CPU, (0, 0))\n"
        "    while True: pass\n"
    )
    path.write_text(first_time + source.replace('"""One', '"""A', 1), encoding="utf-8")
    standby = Standby(task(solution_file(RUBRIC.stem)))
    try:
        assert standby.probe(task(path)).ending == "complete"
    finally:
        standby.close()
    assert tries.read_text() == "xx"
