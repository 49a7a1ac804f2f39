"""A probe behind walls: which were put up, what they let through, and when it is refused."""

import pytest

from grader.catalog import find, solution_file
from grader.classroom import sandbox
from grader.classroom.prober import cpu_seconds
from grader.classroom.sandbox import IsolationError, Level, Limits, probe_confined
from grader.probe.child import probe_in_child
from grader.probe.tasks import Exercise

RUBRIC = find("04")


def task(path):
    return Exercise(path, RUBRIC.class_name, 7, "simulated", RUBRIC.recipe)


def test_the_walls_change_nothing_of_the_evidence():
    right = task(solution_file(RUBRIC.stem))

    confined = probe_confined(right, Limits(), Level.PROCESS)

    assert confined.evidence == probe_in_child(right)
    assert (confined.ended, confined.detail) == ("finished", "")
    assert confined.isolation is sandbox.best_level()


def test_below_the_level_that_is_asked_for_nothing_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.classroom.sandbox.confined.best_level", lambda: Level.PROCESS)
    path, trace = tmp_path / "answer.py", tmp_path / "ran"
    path.write_text(f"open({str(trace)!r}, 'w')", encoding="utf-8")

    with pytest.raises(IsolationError, match="reaches the isolation process, and full was asked"):
        probe_confined(task(path), Limits(), Level.FULL)
    assert not trace.exists()


@pytest.mark.skipif(sandbox.best_level() < Level.FILESYSTEM, reason="no walls here")
def test_the_learners_other_files_can_be_let_in(tmp_path):
    path, other = tmp_path / "answer.py", tmp_path / "scales.py"
    other.write_text("START = 1.0\n", encoding="utf-8")
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text("import scales\n" + source.replace('"""One', '"""From scales. One'), "utf-8")

    alone = probe_confined(task(path), Limits(), Level.FILESYSTEM)
    together = probe_confined(task(path), Limits(), Level.FILESYSTEM, readable=(tmp_path,))

    assert alone.evidence.undefined is not None
    assert together.evidence.undefined is None


def test_what_a_probe_used_of_the_processor_is_not_forgotten(tmp_path):
    path = tmp_path / "answer.py"
    source = solution_file(RUBRIC.stem).read_text(encoding="utf-8")
    path.write_text("import time\nwhile time.process_time() < 1: pass\n" + source, "utf-8")
    before = cpu_seconds()

    probe_confined(task(path), Limits(), Level.PROCESS)

    assert cpu_seconds() - before >= 1
