"""A probe that fills the disk is killed, and says so; one that writes a little is not."""

import sys
from pathlib import Path

import pytest

from grader.course.catalog import find, solution_file
from grader.probe.containment.sandbox import Level, Limits, probe_confined, quota

RUBRIC = find("04")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no timer's signal")
SOURCE = solution_file("04_parameter_or_buffer").read_text(encoding="utf-8")
BYTES = """
for i in range(10_000):
    with open(f"{i}.bin", "wb") as file:
        file.write(b"0" * 100_000)
"""
FILES = """
import os
i = 0
while True:
    i += 1
    os.makedirs(f"{i % 50}", exist_ok=True)
    open(f"{i % 50}/{i}", "w").close()
"""
LITTLE = """
import time
torch.save(torch.ones(1000), "ones.pt")
time.sleep(0.6)
"""


@pytest.fixture
def probed(tmp_path, monkeypatch):
    """What comes of an answer with more code in it, at level `process`."""
    from grader.probe.tasks import Exercise

    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: Level.PROCESS)
    monkeypatch.setattr(quota, "MOST_BYTES", 20 * 2**20)
    monkeypatch.setattr(quota, "MOST_FILES", 500)

    def probe(more):
        path = tmp_path / "answer.py"
        path.write_text(SOURCE + more, encoding="utf-8")
        task = Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)
        return probe_confined(task, Limits(seconds=20), Level.PROCESS)

    return probe


@pytest.mark.parametrize("more", [BYTES, FILES], ids=["bytes", "files"])
def test_a_full_folder_ends_the_probe(probed, more):
    evidence = probed(more).evidence

    assert (evidence.ending, evidence.detail) == ("output_limit", "it filled its folder")


def test_a_folder_that_was_filled_in_a_moment_is_seen_at_the_end(probed):
    evidence = probed("for i in 'ab': open(i, 'wb').write(bytes(15 * 2**20))").evidence

    assert (evidence.ending, evidence.detail) == ("output_limit", "it filled its folder")


def test_a_few_files_do_not(probed):
    confined = probed(LITTLE)

    assert confined.evidence.ending == "complete"
    assert confined.evidence.undefined is None


def test_what_a_folder_holds_is_counted_below_it_and_links_are_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(quota, "MOST_FILES", 3)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "loop").symlink_to(tmp_path)

    assert not quota.holds_too_much(tmp_path)
    (tmp_path / "c").touch()
    assert quota.holds_too_much(tmp_path)
    assert not quota.holds_too_much(Path("missing"))
