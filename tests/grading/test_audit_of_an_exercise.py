"""What an exercise's audit could not look at costs no points: its own steps have been taken."""

from functools import partial

import pytest

from grader import probe
from grader.course.catalog import find, solution_file
from grader.grading.grade import grade_class
from grader.loading import execute, read_source
from grader.probe.run import run_probe
from grader.probe.steps import training
from grader.schema.report import Report


def graded_solution() -> Report:
    rubric = find("06")
    path = solution_file(rubric.stem)
    cls = vars(execute(read_source(path), path))[rubric.class_name]
    return grade_class(rubric, cls, "simulated")


def test_its_steps_may_be_late(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(probe, "run_probe", partial(run_probe, patience=0.0))

    assert graded_solution().score == 5


def test_a_step_of_it_may_fail(monkeypatch: pytest.MonkeyPatch):
    def failing(*_: object) -> None:
        raise NotImplementedError("ask me nothing")

    monkeypatch.setattr(training, "_unregistered", failing)

    report = graded_solution()

    assert (report.verdict, report.score) == ("passed", 5)
