"""Workers mark what they are given, whatever happens to one of them."""

import multiprocessing
import os
import signal

from handing_in import NORMALIZER, solution

from grader.classroom.grading.engine import Engine
from grader.classroom.grading.marking import GradingJob, Settings
from grader.probe.containment.sandbox import Level

SETTINGS = Settings("simulated", Level.PROCESS)


def test_a_worker_that_is_killed_is_replaced_and_its_submission_marked(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(solution(), encoding="utf-8")
    job = GradingJob(NORMALIZER, str(path), "ada.py")
    before = set(multiprocessing.active_children())

    with Engine(1, SETTINGS) as engine:
        (worker,) = set(multiprocessing.active_children()) - before
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        ((about, marked),) = engine.run([("ada", job)])

    assert about == "ada"
    assert (marked.report.verdict, marked.report.source) == ("passed", "ada.py")
    assert marked.seconds > 0
    assert set(multiprocessing.active_children()) <= before


def test_what_kills_every_worker_is_said_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.classroom.grading.engine.MOST_TRIES", 0)
    job = GradingJob(NORMALIZER, str(tmp_path / "answer.py"), "ada.py")
    before = set(multiprocessing.active_children())

    with Engine(1, SETTINGS) as engine:
        (worker,) = set(multiprocessing.active_children()) - before
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        ((_, marked),) = engine.run([("ada", job)])

    assert marked.report.verdict == "cannot_grade"
    assert "killed from outside" in marked.report.message
